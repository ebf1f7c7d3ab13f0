model M
  Real A[2, 3] = [1, 2, 3; 4, 5, 6]*time;
  Real b[2] = {1, 2};
  Real c[2] = A*b;
  Real d[2, 2] = A*A;
end M;
// error 4: '*' cannot be applied to the sizes [2, 3] and [2]
// error 5: '*' cannot be applied to the sizes [2, 3] and [2, 3]
