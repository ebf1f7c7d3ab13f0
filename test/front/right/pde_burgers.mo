model Burgers "method of lines with slices"
 parameter Integer n=40; final parameter Real h=1/(n+1); parameter Real nu=0.02;
   Real u[n](start={sin(2*Modelica_pi*i*h) for i in 1:n},each fixed=true);
   constant Real Modelica_pi=3.14159265358979323846; protected Real w[n+2]=cat(1,{0},u,{0});
equation der(u)=-(w[3:n+2].^2-w[1:n].^2)/(4*h)+nu*(w[3:n+2]-2*w[2:n+1]+w[1:n])/h^2; end Burgers;
// stop 0.5
// u[10](0.185) = 0.6481756855036814
// u[10] = 0.3568361592371694
// u[25](0.185) = -0.8561992225862667
// u[25] = -0.5304149788978734
