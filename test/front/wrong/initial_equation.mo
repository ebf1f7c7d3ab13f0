model M
  Dialectic.Planar.Fixed fixed;
initial equation
  fixed.phi = 1;
end M;
// error 4: 'M' has an initial equation, which is not supported yet
