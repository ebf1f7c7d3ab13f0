model SpringDamper "A dialectic mass and the classical one with its eigenvalues (paper 000, table 1)"
  inner Dialectic.World world(TD = 1e-3);
  parameter Real m(unit = "kg") = 1 "mass";
  parameter Real c(unit = "N/m") = 1e6 "stiffness";
  parameter Real d(unit = "N.s/m") = 100 "damping";
  parameter Real g(unit = "m/s2") = 0 "gravity along s";
  parameter Real s0(unit = "m") = 1e-3 "position at the start";
  final parameter Real d_el = d + c * world.TD "equation 23d";
  Dialectic.Translational.Fixed fixed;
  // the dialectic system, and its position behind the filter
  Dialectic.Translational.Joint joint(s(start = s0));
  Dialectic.Translational.Body body(m = m, g = g);
  Dialectic.Translational.SpringDamper spring(c = c, d = d);
  Dialectic.Translational.PositionSensor sensor(filtered = true);
  // the classical system: equation 23
  Dialectic.Translational.Joint classicalJoint(TD = 0, s(start = s0));
  Dialectic.Translational.Body classicalBody(m = m + d_el * world.TD, g = g);
  Dialectic.Translational.SpringDamper classicalSpring(TD = 0, c = c, d = d + c * world.TD);
equation
  connect(fixed.flange_b, joint.flange_a);
  connect(joint.flange_b, body.flange_a);
  connect(fixed.flange_b, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(body.flange_a, sensor.flange);
  connect(fixed.flange_b, classicalJoint.flange_a);
  connect(classicalJoint.flange_b, classicalBody.flange_a);
  connect(fixed.flange_b, classicalSpring.flange_a);
  connect(classicalSpring.flange_b, classicalBody.flange_a);
  annotation(experiment(StopTime = 0.02, Interval = 1e-4));
end SpringDamper;
