model M
  Real x;
algorithm
  x := 1;
end M;
// error 3: 'M' has an algorithm, which is not supported yet
