connector Pin
  Real v;
  flow Real i;
end Pin;
connector Node
  Real u;
  flow Real i;
end Node;
connector Switch
  Boolean v;
  flow Real i;
end Switch;
model A
  Pin p;
equation
  p.i = p.v;
end A;
model B
  Node p;
equation
  p.i = p.u - 1;
end B;
model C
  Switch p;
equation
  p.v = time > 1;
end C;
model M
  A a;
  B b;
  C c;
equation
  connect(a.p, b.p);
  connect(a.p, c.p);
end M;
// error 33: one has 'v', the other 'u' and no 'v'
// error 34: 'v' is of type Real on one side of the connection, and 'v' of type Boolean
