model ThreadPendulum "A body on a thread that goes slack and taut again (paper 001, figure 5)"
  inner Dialectic.World world(TD = 1e-4, damped = false) "paper 001 has no d_el yet";
  parameter Real length(unit = "m") = 1 "of the thread";
  parameter Real m(unit = "kg") = 100 "mass: 1 kN.s/m are little damping for a heavy body only";
  parameter Real c(unit = "N/m") = 1e6 "stiffness of the thread", d(unit = "N.s/m") = 1e3 "its damping";
  parameter Real w0(unit = "rad/s") = 3 "velocity at the start, level to the left";
  Dialectic.Planar.Fixed fixed;
  Dialectic.Planar.Revolute revolute(phi(start = -3.141592653589793), w(start = w0));
  Dialectic.Planar.Body hub(m = 0, I = 1e-4) "inertia of the bearing: the body may pass close to it";
  Dialectic.Planar.Prismatic prismatic(r = {1, 0}, s(start = length + m * w0 ^ 2 * length / c), v(start = 3 * 9.81 * w0 * m / c)) "stretched as by its force";
  Dialectic.Planar.Body body(m = m);
  Dialectic.Translational.Fixed end_(s = length);
  Dialectic.Translational.ElastoGap thread(c = c, d = d);
equation
  connect(fixed.frame, revolute.frame_a);
  connect(revolute.frame_b, hub.frame_a);
  connect(revolute.frame_b, prismatic.frame_a);
  connect(prismatic.frame_b, body.frame_a);
  connect(prismatic.flange_a, thread.flange_a);
  connect(end_.flange_b, thread.flange_b);
  annotation(experiment(StopTime = 2.6, Interval = 0.005));
end ThreadPendulum;
