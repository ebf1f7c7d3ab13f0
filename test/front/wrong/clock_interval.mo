model M
  Real w = 0.1 + time, x;
equation
  x = sample(time, Clock(w));
end M;
// error 4: the interval of a clock must be a positive number that does not change
