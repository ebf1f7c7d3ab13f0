model M
  Real A[3,4]; equation for i in 1:3, j in 1:4 loop A[i,j] = 10*i + j; end for; 
end M;
// A[3,4] = 34.0
// A[1,2] = 12.0
