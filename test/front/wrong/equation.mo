model M
  Real x(start = 1);
equation
  der(x) = -x;
end M;
// error 4: 'M' has an equation, which is not supported yet
