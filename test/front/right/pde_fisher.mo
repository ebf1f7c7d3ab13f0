model F
 parameter Integer n=50; parameter Real L=20; parameter Real h=L/n;
   Real x[n]={(i-0.5)*h for i in 1:n};
   Real u[n](start={if (i-0.5)*h<2 then 1 else 0 for i in 1:n},each fixed=true); 
equation for i in 1:n loop der(u[i])=(if i==1 then u[2]-u[1] elseif i==n then u[n-1]-u[n] else
  u[i+1]-2*u[i]+u[i-1])/h^2+u[i]*(1-u[i]); end for; end F;
// stop 5
// u[20](1.85) = 0.006428683273591045
// u[20] = 0.5029470901950468
