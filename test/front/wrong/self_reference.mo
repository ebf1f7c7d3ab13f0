model M
  parameter Real a = b, b = a;
  Real x = x + 1;
end M;
// error 2: the value of 'a' depends on itself
