model M
 parameter Integer n=1; Real x[n]; Real d[max(n-1,0)]; equation for i in 1:n loop x[i]=i*time;
   end for; for i in 1:n-1 loop d[i]=x[i+1]-x[i]; end for;
end M;
// x[1](0.37) = 0.37
// x[1] = 1.0
