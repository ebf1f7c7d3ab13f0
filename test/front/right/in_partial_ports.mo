package P
  connector Pin Real v; flow Real i; end Pin;
  partial model TwoPin Pin p, n; Real v, i; equation v = p.v - n.v; i = p.i; p.i + n.i = 0;
    end TwoPin;
  model Res extends TwoPin; parameter Real R=1; equation v = R*i; end Res;
    model Cap extends TwoPin(v(start=0)); parameter Real C=1; equation C*der(v) = i; end Cap;
    model Src extends TwoPin; parameter Real V=1; equation v = V; end Src; model Gnd Pin p;
    equation p.v = 0; end Gnd;
  model M Res r(R=2); Cap c(C=0.25, v(fixed=true)); Src s(V=10); Gnd g;
    equation connect(s.p,r.p); connect(r.n,c.p); connect(c.n,s.n); connect(s.n,g.p); end M;
  model Ind extends TwoPin(i(start=0)); parameter Real L=1; equation L*der(i) = v; end Ind;
  model N extends M(r(R=1)); Ind l(L=0.5,i(fixed=true)); equation connect(l.p, c.p);
    connect(l.n, g.p); end N;
end P;
// class P.M
// c.v(0.37) = 5.228860844789656
// c.v = 8.646647167633873
