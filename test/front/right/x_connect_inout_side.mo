model M
 connector I=input Real; connector O=output Real; block G parameter Real k=1; I u; O y=k*u;
   end G; block Chain I u; O y; G g[4](k={1,2,3,4}); equation connect(u,g[1].u);
   for i in 1:3 loop connect(g[i].y,g[i+1].u); end for; connect(g[4].y,y); end Chain;
   Chain c(u=time);
end M;
// c.y(0.37) = 8.879999999999999
// c.y = 24.0
