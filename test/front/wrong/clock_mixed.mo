model M
  Real x, y(start = 0);
equation
  x = sample(time, Clock(0.1));
  der(y) = x;
  y = hold(x) + 1;
end M;
// error 4: clocked and continuous variables stand in the same equations here
// advice lead from one to the other by sample(u) or hold(u)
