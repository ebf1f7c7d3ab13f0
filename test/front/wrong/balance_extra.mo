model M
  Real x, y;
equation
  x + y = 1;
  x - y = time;
  x = 2*y;
end M;
// error 6: there are too many equations for the variables in them: this one is left over
