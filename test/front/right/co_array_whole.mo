model M
  connector F Real e; flow Real f; end F; model R parameter Real r=1; F p, n;
    equation p.e - n.e = r*p.f; p.f + n.f = 0; end R; model S F p; parameter Real e=10;
    equation p.e=e; end S; R r[3](r={1,2,3}); S s[3](e={1,2,3}); S z(e=0);
equation connect(s.p, r.p); for i in 1:3 loop connect(r[i].n, z.p); end for;
end M;
// r[3].p.f = 1.0
// z.p.f = 3.0
