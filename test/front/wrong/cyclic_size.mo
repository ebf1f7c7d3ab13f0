model M
  parameter Integer n = size(x, 1);
  parameter Real x[n] = fill(1, n);
end M;
// error 2: the value of 'n' depends on itself
