package P
  model A protected Real x = time; end A;
  model M A a; Real y = a.x; equation connect(a.x, y); end M;
end P;
// error 3: 'x' is protected in 'A'
// error 3: 'x' is protected in 'A'
// error 3: 'y' is a variable, but connect needs connectors
// class P.M
