model M
  parameter Integer n = 0; Real x[n]; Real A[n,3]; Real B[3,n]; Real y = sum(x) + sum(A);
    Real c[3] = B*x; Real d[:,:] = [A;1,2,3]; equation x = fill(0,n); A = zeros(n,3);
    B = zeros(3,n);
end M;
// y = 0.0
// c[2] = 0.0
// d[1,3] = 3.0
