model CounterSpinFriction "A ball thrown forwards with reverse spin, on dry friction (paper 004)"
  inner Dialectic.World world(TD = 1e-5);
  parameter Real m(unit = "kg") = 0.2 "mass";
  parameter Real R(unit = "m") = 0.1 "radius";
  parameter Real mu_A = 0.45 "friction at adhesion", mu_S = 0.3 "friction at sliding";
  Dialectic.Translational.Fixed ground;
  Dialectic.Translational.Joint travel(v(start = 2));
  Dialectic.Translational.Body mass(m = m, g = 0);
  Dialectic.Rotational.Fixed base;
  Dialectic.Rotational.Joint spin(w(start = -60));
  Dialectic.Rotational.Inertia inertia(J = 2 / 5 * m * R ^ 2);
  Dialectic.Rotational.RollingWheel wheel(radius = R) "turns spin into the velocity of the rim";
  Dialectic.Translational.DryFriction friction(N = m * 9.81, vAdhesion = 1e-3, vSlide = 2e-3, mu_A = mu_A, mu_S = mu_S);
equation
  connect(ground.flange_b, travel.flange_a);
  connect(travel.flange_b, mass.flange_a);
  connect(base.flange_b, spin.flange_a);
  connect(spin.flange_b, inertia.flange_a);
  connect(inertia.flange_a, wheel.flangeR);
  connect(wheel.flangeT, friction.flange_a);
  connect(friction.flange_b, mass.flange_a);
  annotation(experiment(StopTime = 1.5, Interval = 0.003, Tolerance = 1e-8));
end CounterSpinFriction;
