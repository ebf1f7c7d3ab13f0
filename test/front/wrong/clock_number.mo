model M
  Clock c = Clock(0.1);
  Real x;
equation
  x = c + 1;
end M;
// error 5: a clock stands in an expression of numbers
