model M
  Real x[3] = {1, 2, 3}, y, z;
  Integer i = integer(time);
  Real A[2, 2] = [1, 2; 3, 4]*time, B[2, 2] = A^i;
equation
  y = sum(x[1:i]);
  z = sum(x[k] for k in 1:i) + sum(fill(time, i));
end M;
// error 4: the exponent of a matrix depends on variables
// error 6: a range depends on variables
// error 7: a range depends on variables
// error 7: a size depends on variables
