package P
  connector Pin Real v; flow Real i; end Pin;
  model A Pin p; parameter Real k = 1; equation p.v = 0; end A;
  model M A a, b; equation connect(a, b); connect(a.p, b.q); connect(Pin, a.p); end M;
end P;
// error 4: 'a' is no connector
// error 4: 'b' is no connector
// error 4: 'A' has no connector 'q'
// error 4: there is no component 'Pin' to connect
// class P.M
