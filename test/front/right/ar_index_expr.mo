model M
  parameter Integer p[3]={3,1,2}; Real x[3]={10,20,30}; Real y[3]=x[p]; Real z=x[p[2]];
    Real w[3]=x[3:-1:1]; Real A[2,2]=[1,2;3,4]; Real b[2]=A[:,2]; Real c[2,1]=A[:,1:1];
    Real d[1,2]=A[{2},:]; Real f = A[1,:]*A[:,1];
end M;
// y[1] = 30.0
// z = 10.0
// w[1] = 30.0
// b[2] = 4.0
// c[2,1] = 3.0
// d[1,2] = 4.0
// f = 7.0
