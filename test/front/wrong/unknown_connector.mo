model M
  Dialectic.Planar.Fixed fixed;
  Dialectic.Planar.Body body;
equation
  connect(fixed.frame, body.frame_b);
end M;
// error 5: 'Body' has no connector 'frame_b'
// advice did you mean 'frame_a'?
