model M
  Real x(start = 1);
  Integer n(start = 0);
equation
  der(x) = -x;
  if x > 0 then
    when x < 0.5 then
      n = 1;
    end when;
  else
    n = 2;
  end if;
end M;
// error 7: a when-clause stands in a branch that variables decide
// error 6: the branches have 0 and 1 equation(s)
