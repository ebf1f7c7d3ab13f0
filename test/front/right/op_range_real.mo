model M
  Real x[:] = 0:0.25:1; Real y[:] = 5:-2:1; Real s = sum(x); Integer n = size(x,1);
    Integer m = size(3:2,1); Real w = sum(k^2 for k in 1:2:7);
end M;
// s = 2.5
// n = 5.0
// y[3] = 1.0
// m = 0.0
// w = 84.0
