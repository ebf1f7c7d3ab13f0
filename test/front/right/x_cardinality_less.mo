model M
 connector P Real v; flow Real i; end P; model R P p,n; equation p.v-n.v=p.i; p.i+n.i=0; end R;
   model G P p; equation p.v=0; end G; model S P p; equation p.v=cardinality(p); end S; R r;
   G g; S s; equation connect(s.p,r.p); connect(r.n,g.p);
end M;
// r.p.i = 1.0
