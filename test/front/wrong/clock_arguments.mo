model M
  Real x, y, z;
equation
  x = sample(time, Clock(0.1));
  y = hold(x, 2);
  z = previous();
end M;
// error 5: hold has other arguments
// error 6: previous has other arguments
// advice write hold(u)
