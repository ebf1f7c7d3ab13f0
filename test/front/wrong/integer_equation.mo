model M
  Integer n, k, i;
  Real x = time;
equation
  n = 1.5;
  k = x;
  der(i) = 1;
end M;
// error 5: the left side is of type Integer, but the right side is of type Real
// error 6: the left side is of type Integer, but the right side is of type Real
// error 7: der(x) needs a Real, this is of type Integer
