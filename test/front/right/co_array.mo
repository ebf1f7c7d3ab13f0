model M
  connector F Real e; flow Real f; end F; model R parameter Real r=1; F p, n;
    equation p.e - n.e = r*p.f; p.f + n.f = 0; end R; parameter Integer n = 5;
    R r[n](r={1,2,3,4,5}); model S F p; parameter Real e=10; equation p.e=e; end S;
    S s(e=15), z(e=0);
equation connect(s.p, r[1].p); for i in 1:n-1 loop connect(r[i].n, r[i+1].p); end for;
  connect(r[n].n, z.p);
end M;
// r[3].p.f = 1.0
// r[3].p.e = 12.0
