model M "find the parameter for a wanted rest"
 parameter Real k(fixed=false,start=1); Real x(start=2,fixed=true); initial equation der(x)=0;
   equation der(x)=3-k*x; end M;
// k = 1.5
// x = 2.0
