model M
  Real x, y;
equation
  x = sample(time, Clock(sin(10 * time) > 0));
  y = superSample(x, 2);
end M;
// error 5: a clock that events trigger cannot be made faster
