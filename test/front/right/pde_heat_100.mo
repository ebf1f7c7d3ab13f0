model Heat
 parameter Integer n=100; parameter Real h=1/(n+1);
   Real T[n](start={sin(Pi*i*h) for i in 1:n}, each fixed=true); constant Real Pi=2*asin(1.0);
equation
 der(T[1])=(T[2]-2*T[1])/h^2;
 for i in 2:n-1 loop der(T[i])=(T[i+1]-2*T[i]+T[i-1])/h^2; end for;
 der(T[n])=(-2*T[n]+T[n-1])/h^2;
end Heat;
// stop 0.1
// T[50](0.037) = 0.6940114186870823
// T[50] = 0.37269241956694105
