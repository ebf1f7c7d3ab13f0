model M
  Real x(start = 1), y;
equation
  der(x) = -x;
  y = x*x;
  when x < 0.5 then
    reinit(y, 1);
  end when;
end M;
// error 7: reinit of 'y', which is no state of the model
