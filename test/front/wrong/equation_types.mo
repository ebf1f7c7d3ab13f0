model M
  Real x;
  Boolean b;
equation
  x = time > 1;
  b = x > 2;
end M;
// error 5: the sides of the equation are of type Real and Boolean
