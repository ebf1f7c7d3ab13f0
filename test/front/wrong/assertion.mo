model M
  parameter Integer n = 0;
equation
  assert(n > 0, "n must be positive, not " + String(n));
end M;
// error 4: assertion failed: n must be positive, not 0
