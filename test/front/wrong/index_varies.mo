model M
  Real x[3, 1];
  Integer i = integer(time);
equation
  for k in 1:3 loop
    der(x[k, 1]) = 1;
  end for;
  x[i, 1] = 1;
end M;
// error 8: an index depends on variables
