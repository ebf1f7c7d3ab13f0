model M
  Dialectic.Planar.Fixed fixed;
  Dialectic.Planar.Body body;
equation
  connect(fixed.frame.x, body.frame_a);
end M;
// error 5: 'x' is a variable of the connector 'frame'
