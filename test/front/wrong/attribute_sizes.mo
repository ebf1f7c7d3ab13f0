model M
  Real x(start = {1, 2});
  Real y[3](start = {1, 2}, each fixed = true);
  Real z[2](start = {1, 2}, each fixed = true);
equation
  der(x) = 1;
  der(y) = ones(3);
  der(z) = ones(2);
end M;
// error 2: attribute start of 'x' has the sizes [2], but 'x' is a scalar
// error 3: attribute start of 'y' has the sizes [2], but 'y' has [3]
// advice give one value, or one for each element
