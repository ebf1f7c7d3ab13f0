model M
  Dialectic.Planar.Revolute joint[3];
  Dialectic.Planar.Body body[2];
equation
  connect(joint.frame_b, body.frame_a);
end M;
// error 5: 'joint.frame_b' has 3 connector(s), 'body.frame_a' has 2
