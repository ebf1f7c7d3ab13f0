within Lib.Parts;
model Rod
  Dialectic.Planar.Frame frame_a;
  parameter Real l = 0.5;
  Dialectic.Planar.FixedTranslation rod(r = {l, 0});
  Dialectic.Planar.Body body(m = density * 0.5);
equation
  connect(frame_a, rod.frame_a);
  connect(rod.frame_b, body.frame_a);
end Rod;
