model M
  connector C Real v[3]; flow Real i[3]; end C; model R C p, n; parameter Real r=1;
    equation p.v-n.v=r*p.i; p.i+n.i=zeros(3); end R; model S C p; equation p.v={1,2,3}; end S;
    model Z C p; equation p.v=zeros(3); end Z; R r(r=2); S s; Z z; equation connect(s.p,r.p);
    connect(r.n,z.p);
end M;
// r.p.i[3] = 1.5
