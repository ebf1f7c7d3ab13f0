model BreakingThread "A pendulum whose thread breaks at a force; from there on the body flies"
  inner Dialectic.World world(TD = 1e-4);
  parameter Real length(unit = "m") = 1 "of the thread";
  parameter Real strength(unit = "N") = 20 "of the thread";
  Dialectic.Planar.Fixed fixed;
  Dialectic.Planar.Revolute revolute(phi(start = -3.141592653589793)) "level, to the left";
  Dialectic.Planar.Body hub(m = 0, I = 1e-6) "of the bearing";
  Dialectic.Planar.Prismatic prismatic(r = {1, 0}, s(start = length));
  Dialectic.Planar.Body body(m = 1);
  Dialectic.Translational.Breakable thread(c = 1e6, d = 1e3, l = length, f_max = strength);
equation
  connect(fixed.frame, revolute.frame_a);
  connect(revolute.frame_b, hub.frame_a);
  connect(revolute.frame_b, prismatic.frame_a);
  connect(prismatic.frame_b, body.frame_a);
  connect(prismatic.support, thread.flange_a);
  connect(prismatic.flange_a, thread.flange_b);
  annotation(experiment(StopTime = 1, Interval = 0.005, Tolerance = 1e-8));
end BreakingThread;
