model M
  Real x[5]; equation for i in {1,3,5} loop x[i] = i; end for; for i in 2:2:4 loop x[i] = -i;
    end for;
end M;
// x[5] = 5.0
// x[4] = -4.0
