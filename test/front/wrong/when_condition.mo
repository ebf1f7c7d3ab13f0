model M
  Real x(start = 1);
  Integer n(start = 0);
equation
  der(x) = -x;
  when x then
    n = 1;
  end when;
end M;
// error 6: the condition of a when-clause must be Boolean
