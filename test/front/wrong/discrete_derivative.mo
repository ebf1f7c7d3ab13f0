model M
  discrete Real z(start = 1);
  Real y;
equation
  y = der(z);
  when time > 1 then
    z = 2;
  end when;
end M;
// error 2: 'z' is discrete
