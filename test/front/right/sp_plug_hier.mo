package P
  connector Pin Real v; flow Real i; end Pin; connector Plug parameter Integer m=3; Pin p[m];
    end Plug; model Star parameter Integer m=3; Plug plug(m=m); Pin n;
    equation for j in 1:m loop plug.p[j].v=n.v; end for; n.i+sum(plug.p.i)=0; end Star;
    model Src parameter Integer m=3; Plug a(m=m),b(m=m);
    equation for j in 1:m loop a.p[j].v-b.p[j].v=j; a.p[j].i+b.p[j].i=0; end for; end Src;
    model Res parameter Integer m=3; Plug a(m=m),b(m=m); equation a.p.v-b.p.v=a.p.i;
    a.p.i+b.p.i=zeros(m); end Res; model G Pin p; equation p.v=0; end G;
  model M parameter Integer m=4; Src s(m=m); Res r(m=m); Star s1(m=m),s2(m=m); G g,h;
    equation connect(s.a,r.a); connect(s.b,s1.plug); connect(r.b,s2.plug); connect(s1.n,g.p);
    connect(s2.n,h.p); end M;
end P;
// class P.M
// r.a.p[4].i = 4.0
