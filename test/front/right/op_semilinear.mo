model M
  Real x = time - 0.5; Real y = semiLinear(x, 2, 3); Real z(start=0,fixed=true);
equation der(z) = y;
end M;
// y = 1.0
// z = -0.125
