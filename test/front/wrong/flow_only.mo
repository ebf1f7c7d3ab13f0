package P
  connector C flow Real i; end C;
  model A C c; equation c.i = 1; end A;
  model M A a, b; equation connect(a.c, b.c); end M;
end P;
// error 4: there are too many equations for the variables in them: this one is left over
// class P.M
