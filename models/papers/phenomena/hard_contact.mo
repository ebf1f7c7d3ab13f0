model HardContact "A disc thrown onto a very hard floor: it bounces, slides, rolls and rests on it"
  inner Dialectic.World world(TD = 1e-3);
  parameter Real m(unit = "kg") = 1 "mass";
  parameter Real R(unit = "m") = 0.1 "radius";
  parameter Real c(unit = "N/m") = 1e8 "stiffness of the floor";
  Dialectic.Planar.Fixed ground;
  Dialectic.Planar.FreeMotion flight(y(start = 0.6), vx(start = 2));
  Dialectic.Planar.Body disc(m = m, I = 0.5 * m * R ^ 2);
  Dialectic.Planar.Contact floor(wall(n = {0, 1}, radius = R), touch(c = c, mu_A = 0.3, mu_S = 0.3));
equation
  connect(ground.frame, flight.frame_a);
  connect(flight.frame_b, disc.frame_a);
  connect(ground.frame, floor.frame_a);
  connect(disc.frame_a, floor.frame_b);
  annotation(experiment(StopTime = 1.5, Interval = 0.005),
    __Lieder(solver = "rk3", step = 1e-3));
end HardContact;
