package P
  model A parameter Boolean use = false; Real x if use; Real y; equation y = x + time; end A;
  model M A a; end M;
end P;
// error 2: 'x' is switched off by its condition and has no value
// class P.M
