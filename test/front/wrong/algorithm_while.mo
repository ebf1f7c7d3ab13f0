model M
  Real x;
algorithm
  x := time;
  while time > 1 loop
    x := x/2;
  end while;
end M;
// error 5: this loop never ends: nothing in it changes its condition
