model M
  parameter Real A[3,3]=[2,0,1;0,3,0;1,0,2]; Real x[3]; parameter Real b[3]={3,6,3};
    Real v[3]={1,2,3}; Real o[3,3]=[v]*transpose([v]); Real q=v*A*v;
    Real w[1]=transpose([v])*A*v; Real y[3]; Real z[2,2]=2 ./[1,2;4,8]; Real p[2,2]=2 .^[1,2;
    3,4]; Real p3[3,3]=A^3; Real e1[3]=v .^2; equation A*x=b; y*A=b;
end M;
// x[2] = 2.0
// o[2,3] = 6.0
// q = 38.0
// w[1] = 38.0
// y[2] = 2.0
// z[1,2] = 1.0
// p[2,2] = 16.0
// p3[2,2] = 27.0
