model M
 expandable connector B Real x; end B; connector O=output Real; connector I=input Real;
   block S parameter Real k=1; O y=k*time; end S; block G I u; end G; S s[3](k={1,2,3}); G g[3];
   B b; equation for i in 1:3 loop connect(s[i].y,b.sig[i]); connect(b.sig[i],g[i].u); end for;
   connect(s[1].y,b.x);
end M;
// g[3].u(0.37) = 1.1099999999999999
// g[3].u = 3.0
