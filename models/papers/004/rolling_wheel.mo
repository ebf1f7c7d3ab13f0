model RollingWheel "A wheel rolls down a slope without slip (paper 004)"
  inner Dialectic.World world(TD = 0);
  parameter Real m(unit = "kg") = 2 "mass", R(unit = "m") = 0.3 "radius";
  parameter Real J(unit = "kg.m2") = 0.5 * m * R ^ 2 "a full disc";
  parameter Real slope(unit = "rad") = 0.2 "of the road";
  Dialectic.Rotational.Fixed base;
  Dialectic.Rotational.Joint axle;
  Dialectic.Rotational.Inertia inertia(J = J);
  Dialectic.Rotational.RollingWheel wheel(radius = R);
  Dialectic.Translational.Body mass(m = m, g = 9.81 * sin(slope));
equation
  connect(base.flange_b, axle.flange_a);
  connect(axle.flange_b, inertia.flange_a);
  connect(inertia.flange_a, wheel.flangeR);
  connect(wheel.flangeT, mass.flange_a);
  annotation(experiment(StopTime = 2, Interval = 0.01));
end RollingWheel;
