model M
  Real x(start = 0), y;
equation
  x = previous(x) + 1;
  y = hold(x);
end M;
// error 4: no clock is given for the equations that this belongs to
// advice give one: sample(u, Clock(0.1)), or a factor
