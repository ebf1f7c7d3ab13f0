model M
  Boolean b;
  Real x(start = 0, fixed = true);
equation
  b = not b;
  der(x) = if b then 1 else 2;
end M;
// error 5: 'b' is defined in terms of itself
// advice use pre(...)
