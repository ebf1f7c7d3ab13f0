package P
  connector Pin Real v; flow Real i; end Pin;
  model Resistor Pin p, n;
    equation assert(cardinality(p) > 0 and cardinality(n) > 0,
    "Connectors p and n of Resistor must be connected"); p.v-n.v=p.i; p.i+n.i=0; end Resistor;
  model G Pin p; parameter Real v=0; equation p.v=v; end G;
  model M Resistor r; G a(v=1), b; equation connect(r.p,a.p); connect(r.n,b.p); end M;
end P;
// class P.M
// r.p.i = 1.0
