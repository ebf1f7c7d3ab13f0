model M
  Real x(start=1,fixed=true); Real y, z; Integer n; equation der(x)=-x; algorithm y := 0;
    z := 1; for i in 1:4 loop y := y + i*x; z := z*2; end for; n := 0;
    while n < 5 loop n := n + 2; end while; if x > 0.5 then z := z + 1;
    elseif x > 0.4 then z := z + 2; else z := z + 3; end if;
end M;
// y(0.37) = 6.907343306373547
// y = 3.6787944117144233
// n = 6.0
// z = 19.0
