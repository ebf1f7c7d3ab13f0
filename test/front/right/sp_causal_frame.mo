package P
  connector Fa input Real r0[3]; input Real v[3]; Real a[3]; flow Real f[3]; end Fa;
    connector Fb output Real r0[3]; output Real v[3]; Real a[3]; flow Real f[3]; end Fb;
  model World Fb b; equation b.r0=zeros(3); b.v=zeros(3); b.a=zeros(3); end World;
    model Mass Fa p; Fb q; Real s(start=1,fixed=true),w(start=0,fixed=true);
    equation q.r0=p.r0+{s,0,0}; q.v=p.v+{w,0,0}; q.a=p.a+{der(w),0,0}; der(s)=w;
    p.f+q.f=zeros(3); 0=p.f[1]; end Mass; model End Fa p; equation p.f={p.a[1]+4*p.r0[1],0,0};
    end End;
  model M World w; Mass m; End x; equation connect(w.b,m.p); connect(m.q,x.p); end M;
end P;
// class P.M
// m.s(0.37) = 0.7384685587295879
// m.s = -0.4161468365471424
