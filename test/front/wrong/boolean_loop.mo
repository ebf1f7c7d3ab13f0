model M
  Real x(start = 1);
  Boolean a, b;
equation
  der(x) = if a then -1 else -2;
  a = not b or x > 0.5;
  b = not a or x > 0.7;
end M;
// error 7: are defined in terms of each other
// advice pre(
