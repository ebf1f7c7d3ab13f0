model M
  Dialectic.Planar.Bdy body;
end M;
// error 2: there is no class 'Bdy' in 'Planar'
