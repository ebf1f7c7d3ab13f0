model M
  Dialectic.Planar.Fixed fixed;
  Real x = time;
end M;
// error 2: 'fixed' is a component of the compiled library inside a model with equations
