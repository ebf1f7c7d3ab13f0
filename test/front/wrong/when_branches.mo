model M
  Real x(start = 1);
  Integer n(start = 0), m(start = 0);
equation
  der(x) = -x;
  when x < 0.5 then
    if x > 0 then
      n = 1;
    else
      m = 1;
    end if;
  end when;
end M;
// error 6: the left side of an equation in a when-clause must be a variable
