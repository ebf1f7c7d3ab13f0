model MassOnSpring "One mass falls onto a spring: T_D limits the frequency and leaves the steady state alone (paper 001, section 3)"
  inner Dialectic.World world(TD = 1e-3, damped = false);
  parameter Real m(unit = "kg") = 1 "mass";
  parameter Real c(unit = "N/m") = 1e4 "stiffness";
  parameter Real d(unit = "N.s/m") = 0 "damping";
  Dialectic.Translational.Fixed ground;
  Dialectic.Translational.Joint joint "s points down";
  Dialectic.Translational.Body body(m = m, g = 9.81);
  Dialectic.Translational.SpringDamper spring(c = c, d = d);
equation
  connect(ground.flange_b, joint.flange_a);
  connect(joint.flange_b, body.flange_a);
  connect(ground.flange_b, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  annotation(experiment(StopTime = 0.3, Interval = 2e-4));
end MassOnSpring;
