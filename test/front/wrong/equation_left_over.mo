model M
  Real x, y;
equation
  x + y = 1;
  x = 2;
  y = 3*x;
end M;
// error 6: this one is left over; others decide 'x', 'y' (line
