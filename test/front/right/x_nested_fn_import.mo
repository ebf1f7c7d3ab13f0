package P
 package Math function sq input Real x; output Real y=x^2; algorithm annotation(Inline=true);
   end sq; constant Real two=2; end Math;
 model M import P.Math.sq; import k=P.Math.two; Real y=sq(k*time); end M;
end P;
// class P.M
// y(0.37) = 0.5476
// y = 4.0
