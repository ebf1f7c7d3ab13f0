model DoublePendulum "Two rods with a mass at the end of each, from the horizontal"
  inner Dialectic.World world;
  parameter Real l(unit = "m") = 1 "length of a rod";
  Dialectic.Planar.Fixed ceiling;
  Dialectic.Planar.Revolute shoulder(phi(start = 1.5707963267948966)), elbow;
  Dialectic.Planar.FixedTranslation upper(r = {0, -l}), lower(r = {0, -l});
  Dialectic.Planar.Body middle(m = 1), tip(m = 1);
equation
  connect(ceiling.frame, shoulder.frame_a);
  connect(shoulder.frame_b, upper.frame_a);
  connect(upper.frame_b, middle.frame_a);
  connect(upper.frame_b, elbow.frame_a);
  connect(elbow.frame_b, lower.frame_a);
  connect(lower.frame_b, tip.frame_a);
  annotation(experiment(StopTime = 10, Interval = 0.02));
end DoublePendulum;
