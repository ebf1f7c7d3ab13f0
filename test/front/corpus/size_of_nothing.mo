model M
  Integer i = if time > 1 then 2 else 1;
  Real x[3] = {1, 2, time};
  Real a = sum(x[1:i]);
  Real b = sum(k for k in 1:i);
  Real c[2] = fill(time, i);
  Rdal d;
algorithm
  d := 0;
  for k in 1:i loop d := d + k; end for;
end M;
// error 4: a range depends on variabl?s
// error 5: a range depends on variables
// error 6: a srecord Rize depends on variables
// error:1 0 a range depends on variables
