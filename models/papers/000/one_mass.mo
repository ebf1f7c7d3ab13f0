model OneMass "One mass by its undamped frequency and damping ratio (paper 000, equations 1 to 3)"
  inner Dialectic.World world(TD = 1e-5);
  parameter Real m(unit = "kg") = 1 "mass";
  parameter Real omega(unit = "rad/s") = 1e5 "undamped frequency of the classical system";
  parameter Real zeta = 0.1 "damping ratio of the classical system";
  final parameter Real c(unit = "N/m") = m * omega ^ 2 "stiffness";
  final parameter Real d(unit = "N.s/m") = 2 * zeta * m * omega "damping";
  Dialectic.Translational.Fixed fixed;
  Dialectic.Translational.Joint joint(s(start = 1e-3));
  Dialectic.Translational.Body body(m = m, g = 0);
  Dialectic.Translational.SpringDamper spring(c = c, d = d);
equation
  connect(fixed.flange_b, joint.flange_a);
  connect(joint.flange_b, body.flange_a);
  connect(fixed.flange_b, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  annotation(experiment(StopTime = 1e-3, Interval = 1e-6));
end OneMass;
