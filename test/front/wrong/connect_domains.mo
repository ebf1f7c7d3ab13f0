model M
  Dialectic.Planar.Fixed fixed;
  Dialectic.Translational.Body body;
equation
  connect(fixed.frame, body.flange_a);
end M;
// error 5: 'fixed.frame' is a Planar.Frame and cannot be connected to 'body.flange_a', a Translational.Flange
