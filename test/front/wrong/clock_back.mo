model M
  Real x, y;
equation
  x = sample(time, Clock(0.1));
  y = backSample(x, 1, 2);
end M;
// error 5: this clock would begin before its base clock
