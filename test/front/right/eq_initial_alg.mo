model M
  Real x; Real s; initial algorithm x := 0; for i in 1:4 loop x := x + i; end for;
    equation der(x) = -x; s = x*2;
end M;
// x(0.37) = 6.907343306373547
// x = 3.6787944117144233
