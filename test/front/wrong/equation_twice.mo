model M
  Real x, y;
equation
  x + y = 1;
  2*x + 2*y = 2;
end M;
// error 5: have no unique solution
