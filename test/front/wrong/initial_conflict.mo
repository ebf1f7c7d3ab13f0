model M
  Real x(start = 1, fixed = true);
initial equation
  x = 2;
equation
  der(x) = -x;
end M;
// error 4: this initial equation decides no start value: there are 2 initial equation(s) for the states that are not fixed
