model M
  Real x[5] = {1,2,3,4,5}; Real y = x[end]; Real z = sum(x[end-1:end]); Real A[2,3] = [1,2,3;
    4,5,6]; Real w = A[end,end-1]; Integer ix[2]={1,2}; Real v = x[ix[end]];
end M;
// y = 5.0
// z = 9.0
// w = 5.0
// v = 2.0
