model M
  Boolean b = time > 1;
  Real x;
equation
  x = der(b);
end M;
// error 5: der(x) needs a Real
