model M
  Real x;
algorithm
  x := time;
  while x > 1 loop
    x := x/2;
  end while;
end M;
// error 5: this condition depends on variables, but must be known before the simulation
