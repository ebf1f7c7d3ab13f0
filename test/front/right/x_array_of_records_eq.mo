model M
 record P Real x; Real v; end P;
   P p[3](x(start={1,2,3},each fixed=true),v(each start=0,each fixed=true));
   equation for i in 1:3 loop der(p[i].x)=p[i].v; der(p[i].v)=-p[i].x; end for;
end M;
// p[2].x(0.37) = 1.864654691212069
// p[2].x = 1.0806046117362795
