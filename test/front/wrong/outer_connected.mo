model A
  outer Dialectic.Planar.Fixed ground;
  Dialectic.Planar.Body body;
equation
  connect(ground.frame, body.frame_a);
end A;
model M
  inner Dialectic.Planar.Fixed ground;
  A a;
end M;
// error 5: 'ground' is outer; connections to it are not supported yet
