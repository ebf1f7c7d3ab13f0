model M
  Dialectic.Planar.Fixed fixed;
equation
  connect(fixed.frame, fixed.frame);
end M;
// error 4: 'fixed.frame' is connected to itself
