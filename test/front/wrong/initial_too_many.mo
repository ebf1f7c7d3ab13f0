model M
  Real x(start = 1, fixed = true), y(start = 3, fixed = true);
equation
  der(x) = -x;
  y = 2*x;
end M;
// error 2: this initial equation decides no start value
