model M
  Real x,y; equation x+y=5; when sample(1,1) then y=7-2*x; end when;
end M;
// stop 1.5
// y = 3.0
// x = 2.0
