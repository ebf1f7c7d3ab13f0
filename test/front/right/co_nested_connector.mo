model M
  connector P Real v; flow Real i; end P; connector Plug P p[2]; Real T; end Plug;
    model A Plug q; equation q.p[1].v=1; q.p[2].v=2; q.T=5; end A; model B Plug q; Real T = q.T;
    equation q.p[1].v = q.p[1].i; q.p[2].v=3*q.p[2].i; end B; A a; B b;
    equation connect(a.q, b.q);
end M;
// b.q.p[2].i = 0.6666666666666666
// b.T = 5.0
// a.q.p[1].i = -1.0
