model StickSlip "A block on a rough floor, pulled by a spring whose end moves at constant velocity"
  inner Dialectic.World world(TD = 1e-5);
  parameter Real m(unit = "kg") = 1 "mass of the block";
  parameter Real c(unit = "N/m") = 100 "stiffness of the spring";
  parameter Real v0(unit = "m/s") = 0.05 "velocity of its end";
  parameter Real mu_A = 0.6 "friction at adhesion", mu_S = 0.4 "friction at sliding";
  Dialectic.Translational.Fixed floor;
  Dialectic.Translational.Joint slide;
  Dialectic.Translational.Body load(m = m, g = 0);
  Dialectic.Translational.DryFriction friction(N = 9.81 * m, vAdhesion = 1e-5, vSlide = 1e-4, mu_A = mu_A, mu_S = mu_S);
  Dialectic.Translational.PositionSensor sensor;
  Signals.Ramp end_(height = 10 * v0, duration = 10) "of the spring that is pulled";
  Signals.Add pull(k1 = c, k2 = -c);
equation
  connect(floor.flange_b, slide.flange_a);
  connect(slide.flange_b, load.flange_a);
  connect(floor.flange_b, friction.flange_a);
  connect(friction.flange_b, load.flange_a);
  connect(load.flange_a, sensor.flange);
  connect(end_.y, pull.u1);
  connect(sensor.y, pull.u2);
  connect(pull.y, slide.f_ext);
  annotation(experiment(StopTime = 6, Interval = 0.005, Tolerance = 1e-8));
end StickSlip;
