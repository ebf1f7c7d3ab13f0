model CounterSpinDamper "A ball thrown forwards with reverse spin, slowed down by a damper (paper 004)"
  inner Dialectic.World world(TD = 0);
  parameter Real m(unit = "kg") = 0.2 "mass";
  parameter Real R(unit = "m") = 0.1 "radius";
  parameter Real d(unit = "N.s/m") = 0.2 "force over the velocity of slip";
  Dialectic.Translational.Fixed ground;
  Dialectic.Translational.Joint travel(v(start = 2));
  Dialectic.Translational.Body mass(m = m, g = 0);
  Dialectic.Rotational.Fixed base;
  Dialectic.Rotational.Joint spin(w(start = -60));
  Dialectic.Rotational.Inertia inertia(J = 2 / 5 * m * R ^ 2);
  Dialectic.Rotational.RollingWheel wheel(radius = R) "turns spin into the velocity of the rim";
  Dialectic.Translational.Damper damper(d = d);
equation
  connect(ground.flange_b, travel.flange_a);
  connect(travel.flange_b, mass.flange_a);
  connect(base.flange_b, spin.flange_a);
  connect(spin.flange_b, inertia.flange_a);
  connect(inertia.flange_a, wheel.flangeR);
  connect(wheel.flangeT, damper.flange_a);
  connect(damper.flange_b, mass.flange_a);
  annotation(experiment(StopTime = 1.5, Interval = 0.003, Tolerance = 1e-8));
end CounterSpinDamper;
