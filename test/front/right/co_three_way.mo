model M
  connector F Real s; flow Real f; end F; model Mass F a; parameter Real m=1;
    Real v(start=0,fixed=true); Real s(start=0,fixed=true); equation a.s = s; der(s) = v;
    m*der(v) = a.f; end Mass; model Sp F a, b; parameter Real c=1; equation a.f = c*(a.s-b.s);
    a.f + b.f = 0; end Sp; model Gd F a; equation a.s=0; end Gd;
  Mass m(s(start=1)); Sp s1(c=1), s2(c=3); Gd g; equation connect(g.a, s1.a);
    connect(g.a, s2.a); connect(s1.b, m.a); connect(s2.b, m.a);
end M;
// m.s(0.37) = 0.7384685587295879
// m.s = -0.4161468365471424
