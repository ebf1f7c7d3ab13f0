package P
  connector Pin Real v; flow Real i; end Pin;
  model Resistor Pin p, n; parameter Real R = 1; Real u, q; equation
    u = p.v - n.v; u = R*p.i; p.i + n.i = 0; end Resistor;
  model M Resistor r; end M;
end P;
// class P.M
// error 3: class 'Resistor' has 1 equation too few: 5 for 6 unknowns
