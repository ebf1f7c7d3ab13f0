package P
  connector Pin Real v; flow Real i; end Pin;
  model Resistor Pin p, n; parameter Real R = 1; Real u, q; equation
    u = p.v - n.v; u = R*p.i; p.i + n.i = 0; end Resistor;
  model M Resistor r; end M;
end P;
// error 2: there are too many equations for the variables in them: this one is left over
// error 2: 5 equation(s) for 6 unknown(s): nothing decides 'r.p.v', 'r.n.v', 'r.q'
// class P.M
