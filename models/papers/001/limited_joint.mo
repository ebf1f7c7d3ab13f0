model LimitedJoint "A lever that falls onto an elastic stop on its joint"
  inner Dialectic.World world(TD = 1e-3);
  Dialectic.Planar.Fixed fixed;
  Dialectic.Planar.Revolute revolute;
  Dialectic.Planar.FixedTranslation lever(r = {1, 0});
  Dialectic.Planar.Body body(m = 1);
  Dialectic.Rotational.Fixed stop(phi = -0.5);
  Dialectic.Rotational.ElastoGap limit(c = 1e5, d = 500);
equation
  connect(fixed.frame, revolute.frame_a);
  connect(revolute.frame_b, lever.frame_a);
  connect(lever.frame_b, body.frame_a);
  connect(stop.flange_b, limit.flange_a);
  connect(limit.flange_b, revolute.flange_a);
  annotation(experiment(StopTime = 2, Interval = 0.004));
end LimitedJoint;
