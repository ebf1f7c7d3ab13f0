model M
  parameter Real x[3] = {1, 2, 3};
  parameter Real y = x[4];
  parameter Real z = y[1];
end M;
// error 3: index 4 of 'x' is outside 1 ... 3
