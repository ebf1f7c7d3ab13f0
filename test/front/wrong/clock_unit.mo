model M
  Real a = sample(time, Clock(1, 1000003));
  Real b = sample(time, Clock(1, 1000033));
  Real c = sample(time, Clock(1, 1000037));
end M;
// error 4: the intervals of the clocks have no common unit that is exact
// advice use clocks that are multiples of each other
