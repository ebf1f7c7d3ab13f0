model M
  Real x, y;
equation
  if time > 1 then
    x = 1;
    y = 2;
  else
    x = 3;
  end if;
end M;
// error 4: the branches have 2 and 1 equation(s)
