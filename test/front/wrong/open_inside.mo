model A
  Dialectic.Planar.Frame frame;
end A;
model M
  A a;
  Dialectic.Planar.Body body;
equation
  connect(a.frame, body.frame_a);
end M;
// error 8: the connector 'frame' of 'A' is connected to nothing inside
