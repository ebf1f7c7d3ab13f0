model M
  connector F Real e; flow Real f; end F; model R parameter Real r=1; F p, n;
    equation p.e - n.e = r*p.f; p.f + n.f = 0; end R; model Two F p, n; R a(r=2), b(r=3);
    equation connect(p, a.p); connect(a.n, b.p); connect(b.n, n); end Two; model S F p;
    parameter Real e=10; equation p.e=e; end S;
  Two t; S s(e=10), z(e=0); equation connect(s.p, t.p); connect(t.n, z.p);
end M;
// t.p.f = 2.0
// z.p.f = 2.0
