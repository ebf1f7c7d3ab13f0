model M
  Real x, y = 2*x;
equation
  der(x) = -x;
  y = 3;
end M;
// error 5: too many equations
