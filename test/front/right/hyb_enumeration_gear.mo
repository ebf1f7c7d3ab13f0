model Car
 type G=enumeration(g1,g2,g3); constant Real r[G]={3,2,1}; Real v(start=0,fixed=true);
   G g(start=G.g1,fixed=true); equation der(v)=r[g];
   g=if v<3 then G.g1 elseif v<5 then G.g2 else G.g3; end Car;
// stop 4
// v(1.48) = 3.96
// v = 7.0
