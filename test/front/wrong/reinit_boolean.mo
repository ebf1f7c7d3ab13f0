model M
  Real x(start = 1);
  Boolean b = x > 0.7;
equation
  der(x) = -x;
  when x < 0.5 then
    reinit(b, true);
  end when;
end M;
// error 7: reinit needs a Real state
