model M
  Real x, y;
algorithm
  if time > 1 then
    x := 1;
  end if;
  y := 2;
end M;
// warning 3: 'x' is not assigned in every case before it is read: it has its start value then
// advice assign it before the conditions
