model M
  Dialectic.Planar.Frame frame(x(start = 1));
  Dialectic.Planar.Body body;
equation
  connect(frame, body.frame_a);
end M;
// error 2: the connector 'frame' cannot be modified
