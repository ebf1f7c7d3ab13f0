model M
  Real x;
equation
  if time > 1 then
    x = 1;
  end if;
end M;
// error 4: the branches have 1 and 0 equation(s), and variables decide which one holds
