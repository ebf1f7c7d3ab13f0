model TwoMasses "Two bodies joined by a stiff spring, moved from point to point (paper 000, figure 5)"
  inner Dialectic.World world(TD = 1e-3, g = 0);
  parameter Real c(unit = "N/m") = 1e6 "stiffness";
  parameter Real F(unit = "N") = 10 "force on the first body";
  Dialectic.Planar.Fixed fixed;
  Dialectic.Planar.Prismatic first(r = {1, 0}), second(r = {1, 0}) "second counts from the first body, and its flange sees this difference with all its digits";
  Dialectic.Planar.Body body1(m = 1), body2(m = 1);
  Dialectic.Translational.Spring spring(c = c);
  Dialectic.Translational.Force drive;
  Signals.TimeTable force(table = {{0, F}, {0.12, F}, {0.12, 0}, {0.24, 0}, {0.24, -F}, {0.36, -F}, {0.36, 0}, {0.48, 0}});
  // what the figures show: the force of the spring alone, without d_el, and the difference scaled to 1e6 N/m
  Dialectic.Translational.PositionSensor difference;
  Signals.Gain springForce(k = -c), scaled(k = c / 1e6);
equation
  connect(fixed.frame, first.frame_a);
  connect(first.frame_b, body1.frame_a);
  connect(body1.frame_a, second.frame_a);
  connect(second.frame_b, body2.frame_a);
  connect(second.support, spring.flange_a);
  connect(spring.flange_b, second.flange_a);
  connect(drive.flange, first.flange_a);
  connect(force.y, drive.f);
  connect(second.flange_a, difference.flange);
  connect(difference.y, springForce.u);
  connect(difference.y, scaled.u);
  annotation(experiment(StopTime = 0.48, Interval = 1.2e-3));
end TwoMasses;
