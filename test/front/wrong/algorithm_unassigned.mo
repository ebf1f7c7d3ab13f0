model M
  Real x, y;
algorithm
  if time > 1 then
    x := 1;
  end if;
  y := 2;
end M;
// error 3: 'x' has no value at the end of this algorithm in every case
