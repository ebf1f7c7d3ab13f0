model M
  Dialectic.Planar.Revolute joint(phi = 1);
  Dialectic.Planar.Revolute other(z(start = 1));
end M;
// error 2: 'phi' is a variable of 'Planar.Revolute' and cannot be given a value
// error 3: 'z' is no state of 'Planar.Revolute' and has no start value
