model Heat2
 parameter Integer n=12; parameter Real h=1/(n+1);
   Real T[n,n](start={{sin(pi*i*h)*sin(pi*j*h) for j in 1:n} for i in 1:n},each fixed=true);
   constant Real pi=Modelica_.pi; package Modelica_ constant Real pi=3.141592653589793;
   end Modelica_; Real g[n+2,n+2];
equation g[2:n+1,2:n+1]=T; g[1,:]=zeros(n+2); g[n+2,:]=zeros(n+2); g[2:n+1,1]=zeros(n);
  g[2:n+1,n+2]=zeros(n);
  for i in 1:n, j in 1:n loop der(T[i,j])=(g[i,j+1]+g[i+2,j+1]+g[i+1,j]+g[i+1,j+2]-4*T[i,
  j])/h^2; end for; end Heat2;
// stop 0.1
// T[3,5](0.037) = 0.2997549589632841
// T[3,5] = 0.08695888823764034
