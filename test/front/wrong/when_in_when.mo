model M
  Real x(start = 1);
  Integer n(start = 0);
equation
  der(x) = -x;
  when x < 0.5 then
    when time > 1 then
      n = 1;
    end when;
  end when;
end M;
// error 7: a when-clause stands inside another one
