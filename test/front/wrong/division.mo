model M
  parameter Integer n = 0;
  Real x = time/0;
  parameter Real y = 1/n, z = mod(3, n), w = div(3, 0);
end M;
// error 4: division of 1 by zero
// error 4: division of 3 by zero
// error 4: division of 3 by zero
