model M
  Real x(start = 1), y;
equation
  der(x) = -x;
  y = delay(x, 0.1);
end M;
// error 5: 'delay' is not supported
