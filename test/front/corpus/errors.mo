model A
  Real x
  Real y = (1;
  z = [1, 2; 3 4];
equation
  x = ;
  for i on 1:3 loop
    y := 2;
  end if;
end B;
