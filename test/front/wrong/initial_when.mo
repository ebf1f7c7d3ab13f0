model M
  Real x(start = 1);
  Integer n(start = 0);
initial equation
  when x > 0 then
    n = 1;
  end when;
equation
  der(x) = -x;
end M;
// error 5: a when-clause stands in an initial section
