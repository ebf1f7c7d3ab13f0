model M
 connector I=input Real; connector O=output Real; block G parameter Real k=1; I u; O y=k*u;
   end G; block F I u1,u2; O y=u1-u2; end F; F f(u1=time); G g(k=9); equation connect(f.y,g.u);
   connect(g.y,f.u2);
end M;
// g.y(0.37) = 0.333
// g.y = 0.9
