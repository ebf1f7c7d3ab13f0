model M
  Dialectic.Planar.Revolute joint[2];
  Dialectic.Planar.Body body[2];
equation
  for i loop
    connect(joint[i].frame_b, body[i].frame_a);
  end for;
end M;
// error 5: the index 'i' has no range
