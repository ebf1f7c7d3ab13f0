model M
  Real x(start = 1, fixed = true), y(start = 1, fixed = true);
equation
  der(x) = -x;
  der(y) = -y;
  when x < 0.5 then
    reinit(x, "a");
    reinit(y, 1);
    if time > 2 then
      reinit(x, 3);
    else
      reinit(x, 4);
    end if;
    reinit(y, 2);
  end when;
end M;
// error 7: reinit needs a Real state and a number of the same sizes
// error 14: 'y' is set twice in one when-clause
