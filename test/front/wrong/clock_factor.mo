model M
  Integer n = integer(3 * time);
  Real x, y;
equation
  x = sample(time, Clock(0.1));
  y = subSample(x, n);
end M;
// error 6: an Integer of at least 0 is needed here, which does not change
// advice use a number or a parameter
