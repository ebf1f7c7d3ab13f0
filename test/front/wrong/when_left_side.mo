model M
  Real x(start = 1), y;
equation
  der(x) = -x;
  when x < 0.5 then
    2*y = x;
  end when;
end M;
// error 5: the left side of an equation in a when-clause must be a variable
