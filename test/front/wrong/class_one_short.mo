connector Pin
  Real v;
  flow Real i;
end Pin;

model Resistor
  Pin p, n;
  parameter Real R = 1;
  Real u, heat;
equation
  u = p.v - n.v;
  u = R*p.i;
  p.i + n.i = 0;
end Resistor;

model Source
  Pin p, n;
equation
  p.v - n.v = 1;
  p.i + n.i = 0;
  n.v = 0;
end Source;

model M "says what the class should have said, and the source what a ground should"
  Resistor r[3](each R = 2);
  Source source;
equation
  for k in 1:3 loop
    connect(source.p, r[k].p);
    connect(source.n, r[k].n);
    r[k].heat = r[k].u*r[k].p.i;
  end for;
end M;
// error 9: class 'Resistor' has 1 equation too few: 5 for 6 unknowns
// error 16: class 'Source' has 1 equation too many: 5 for 4 unknowns
