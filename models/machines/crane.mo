model Crane "A crane whose trolley a DC motor moves: position controlled, the load swings little"
  inner Dialectic.World world(TD = 1e-3);
  parameter Real way(unit = "m") = 2 "where the trolley shall go";
  parameter Real r(unit = "m") = 0.05 "radius of the pinion";
  // trolley and load
  Dialectic.Planar.Fixed rail;
  Dialectic.Planar.Prismatic slide(r = {1, 0});
  Dialectic.Planar.Body trolley(m = 10);
  Dialectic.Planar.Revolute hook;
  Dialectic.Planar.FixedTranslation rope(r = {0, -2});
  Dialectic.Planar.Body load(m = 5);
  Dialectic.Planar.LinearDrag air(d = 0.5);
  // the drive: a motor, its inertia, a pinion on the rack of the trolley
  Dialectic.Rotational.RollingWheel pinion(radius = r);
  Dialectic.Rotational.Inertia rotor(J = 1e-3);
  Dialectic.Rotational.DCMotor motor(R = 0.5, L = 1e-3, k = 0.2);
  // the controller: position outside, velocity inside, a limited voltage
  Dialectic.Translational.PositionSensor position;
  Dialectic.Translational.SpeedSensor velocity;
  Signals.Ramp target(height = way, duration = 2, startTime = 0.5);
  Signals.Feedback error;
  Signals.Gain k_s(k = 3);
  Signals.Feedback speedError;
  Signals.Gain k_v(k = 60);
  Signals.Limiter voltage(uMax = 48);
equation
  connect(rail.frame, slide.frame_a);
  connect(slide.frame_b, trolley.frame_a);
  connect(slide.frame_b, hook.frame_a);
  connect(hook.frame_b, rope.frame_a);
  connect(rope.frame_b, load.frame_a);
  connect(rope.frame_b, air.frame);
  connect(slide.flange_a, pinion.flangeT);
  connect(pinion.flangeR, rotor.flange_a);
  connect(rotor.flange_a, motor.flange);
  connect(slide.flange_a, position.flange);
  connect(slide.flange_a, velocity.flange);
  connect(target.y, error.u1);
  connect(position.y, error.u2);
  connect(error.y, k_s.u);
  connect(k_s.y, speedError.u1);
  connect(velocity.y, speedError.u2);
  connect(speedError.y, k_v.u);
  connect(k_v.y, voltage.u);
  connect(voltage.y, motor.u);
  annotation(experiment(StopTime = 8, Interval = 0.02));
end Crane;
