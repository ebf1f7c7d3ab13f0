model M
  Real y(start=1), yc; equation der(y)+y=2; yc=sample(y,Clock(0.1)); initial equation der(y)=0;
end M;
// yc = 2.0
