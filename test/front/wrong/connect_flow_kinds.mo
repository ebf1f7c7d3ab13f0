connector A
  Real v;
  flow Real i;
end A;
connector B
  Real v;
  Real i;
end B;
model X
  A a;
equation
  a.v = 0;
end X;
model Y
  B b;
equation
  b.v = 1;
  b.i = 2;
end Y;
model M
  X x;
  Y y;
equation
  connect(x.a, y.b);
end M;
// error 24: 'i' is a flow on one side of the connection
