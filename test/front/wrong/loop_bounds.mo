model M
  Real x[3];
equation
  for i in 1:4 loop
    x[i] = i*time;
  end for;
end M;
// error 5: index 4 of 'x' is outside 1 ... 3
