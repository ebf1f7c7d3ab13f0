model M
 Real x(start=1), y(start=1); initial equation der(x)=0; der(y)=0; equation der(x)=4-x^2;
   der(y)=x-y^3; end M;
// x = 2.0
// y = 1.2599210498948732
