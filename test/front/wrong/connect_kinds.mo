package P
  connector Pin Real v; flow Real i; end Pin;
  connector Flange Real phi; flow Real tau; Real w; end Flange;
  model A Pin p; equation p.v = 0; end A;
  model B Flange f; equation f.phi = 0; f.w = 0; end B;
  model M A a; B b; equation connect(a.p, b.f); end M;
end P;
// error 6: the connectors have 2 and 3 variables
// class P.M
// warning 3: connector 'Flange' has 2 potentials and 1 flow
