model M
  Real x(start=1,fixed=true), y, z; equation der(x*y) = 1; y = 2; z = der(x + y); 
end M;
// x(0.37) = 1.185
// x = 1.5
// z = 0.5
