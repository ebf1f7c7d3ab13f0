model M
  parameter Integer n = 0;
  Real x[n + 1] = fill(time, n + 1);
equation
  assert(n > 0, "n is " + String(n));
end M;
// error 5: assertion failed: n is 0
