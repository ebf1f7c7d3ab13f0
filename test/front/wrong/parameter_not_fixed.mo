model M
  parameter Integer n(fixed = false, start = 2);
  Real y[n] = fill(time, 2);
end M;
// error 3: a size depends on variables
