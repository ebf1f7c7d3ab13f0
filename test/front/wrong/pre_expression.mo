model M
  Real x(start = 1);
  Boolean b;
equation
  der(x) = -x;
  b = pre(x > 0.5);
end M;
// error 6: pre
