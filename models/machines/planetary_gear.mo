model PlanetaryGear "Sun, planet on a carrier and a ring that rests: the carrier turns with a third of the velocity of the sun"
  inner Dialectic.World world(TD = 1e-3, g = 0);
  Dialectic.Planar.Fixed ground;
  Dialectic.Planar.Revolute sun, carrier, planet;
  Dialectic.Planar.FixedTranslation arm(r = {0.3, 0});
  Dialectic.Planar.Body sunBody(m = 1, I = 0.02), planetBody(m = 0.5, I = 0.005), carrierBody(m = 0, I = 0.01);
  Dialectic.Planar.GearContact inside(radius_a = 0.2, radius_b = 0.1, teeth = 20, c = 1e6, d = 100) "teeth of sun and planet";
  Dialectic.Planar.GearContact ring(radius_a = 0.4, radius_b = 0.1, teeth = 40, internal = true, c = 1e6, d = 100) "teeth of ring and planet";
  Dialectic.Rotational.Torque drive;
  Signals.Constant torque(k = 0.5);
equation
  connect(ground.frame, sun.frame_a);
  connect(sun.frame_b, sunBody.frame_a);
  connect(ground.frame, carrier.frame_a);
  connect(carrier.frame_b, carrierBody.frame_a);
  connect(carrier.frame_b, arm.frame_a);
  connect(arm.frame_b, planet.frame_a);
  connect(planet.frame_b, planetBody.frame_a);
  connect(sun.frame_b, inside.frame_a);
  connect(planet.frame_b, inside.frame_b);
  connect(ground.frame, ring.frame_a);
  connect(planet.frame_b, ring.frame_b);
  connect(drive.flange, sun.flange_a);
  connect(torque.y, drive.tau);
  annotation(experiment(StopTime = 1, Interval = 0.01), __Lieder(solver = "rk4", step = 1e-3));
end PlanetaryGear;
