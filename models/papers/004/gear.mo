model Gear "An inertia behind a gear counts by the square of the ratio (paper 004)"
  inner Dialectic.World world(TD = 0);
  parameter Real ratio = 3 "phi_b = ratio phi_a";
  parameter Real J1(unit = "kg.m2") = 0.5 "inertia before the gear", J2(unit = "kg.m2") = 0.1 "and behind it";
  parameter Real c(unit = "N.m/rad") = 50 "stiffness";
  Dialectic.Rotational.Fixed base;
  Dialectic.Rotational.Joint joint(phi(start = 0.2));
  Dialectic.Rotational.Inertia motor(J = J1), load(J = J2);
  Dialectic.Rotational.Spring spring(c = c);
  Dialectic.Rotational.IdealGear gear(ratio = ratio);
  Dialectic.Rotational.TorqueSensor before, behind;
equation
  connect(base.flange_b, joint.flange_a);
  connect(joint.flange_b, motor.flange_a);
  connect(base.flange_b, spring.flange_a);
  connect(spring.flange_b, motor.flange_a);
  connect(motor.flange_a, before.flange_a);
  connect(before.flange_b, gear.flange_a);
  connect(gear.flange_b, behind.flange_a);
  connect(behind.flange_b, load.flange_a);
  annotation(experiment(StopTime = 3, Interval = 0.01));
end Gear;
