model B
  input Real u;
  output Real y;
equation
  y = der(u);
end B;
model M
  Signals.Constant c(k = 1);
  B b;
equation
  connect(c.y, b.u);
end M;
// error 2: the equations need the derivative of 'u'
