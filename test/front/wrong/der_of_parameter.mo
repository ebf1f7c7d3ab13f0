model M
  parameter Real p = 1;
  Real x;
equation
  der(p) = 1;
  der(x, 2) = 1;
end M;
// error 6: der has one argument
