model M
  Real x, y; equation 2*x + 3*y = 8 + time; x - y = -1;
end M;
// x(0.37) = 1.074
// x = 1.2
// y(0.37) = 2.074
// y = 2.2
