model M
  Real x(start = 1, start = 2);
  parameter Real p(min = 0, max = 3, min = 1) = 2;
equation
  der(x) = p;
end M;
// error 2: 'start' is modified twice in one list
// error 3: 'min' is modified twice in one list
