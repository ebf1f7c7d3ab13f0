model M
 connector H Real T; flow Real q; end H; model C H p; parameter Real c=1;
   Real T(start=0,fixed=true); equation T=p.T; c*der(T)=p.q; end C; model G H a,b;
   parameter Real g=1; equation a.q=g*(a.T-b.T); a.q+b.q=0; end G; parameter Integer n=4;
   C c[n,n](T(start={{if i==1 and j==1 then 1 else 0 for j in 1:n} for i in 1:n}));
   G h[n,n-1], v[n-1,n]; Real s=sum(c.T);
   equation for i in 1:n, j in 1:n-1 loop connect(c[i,j].p,h[i,j].a);
   connect(h[i,j].b,c[i,j+1].p); connect(c[j,i].p,v[j,i].a); connect(v[j,i].b,c[j+1,i].p);
   end for;
end M;
// stop 2
// s = 1.0
