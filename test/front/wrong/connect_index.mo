model M
  parameter Integer n = 3;
  Dialectic.Planar.Revolute joint[n];
  Dialectic.Planar.Body body;
equation
  connect(joint[n + 1].frame_b, body.frame_a);
end M;
// error 6: index 4 of 'joint' is outside 1 ... 3
