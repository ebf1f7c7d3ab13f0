model M
  Dialectic.Planar.Revolute joint(phi(start = 1, fixed = false));
end M;
// error 2: 'phi' cannot have fixed = false
