model TwoMasses "Two bodies joined by a stiff spring, pushed and stopped (paper 000, figure 5)"
  inner Dialectic.World world(TD = 1e-3);
  parameter Real c(unit = "N/m") = 1e6;
  parameter Real F(unit = "N") = 10;
  Dialectic.Translational.Fixed fixed;
  Dialectic.Translational.Joint joint1, joint2 "joint2 counts from the first body: the difference keeps its digits";
  Dialectic.Translational.Body body1(m = 1, g = 0), body2(m = 1, g = 0);
  Dialectic.Translational.Spring spring(c = c);
  Signals.TimeTable force(table = {{0, F}, {0.1, F}, {0.1, -F}, {0.2, -F}, {0.2, 0}, {0.3, 0}});
equation
  connect(fixed.flange_b, joint1.flange_a);
  connect(joint1.flange_b, body1.flange_a);
  connect(body1.flange_a, joint2.flange_a);
  connect(joint2.flange_b, body2.flange_a);
  connect(body1.flange_a, spring.flange_a);
  connect(spring.flange_b, body2.flange_a);
  connect(force.y, joint1.f_ext);
  annotation(experiment(StopTime = 0.3, Interval = 1e-4));
end TwoMasses;
