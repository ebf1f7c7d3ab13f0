package Adapters "Classical mechanics beside dialectic mechanics"
  /* A classical flange has one motion: its velocity is the derivative of its position. A dialectic flange has two, an elastic and a kinetic one. They
     cannot be equal, so the two kinds are joined by an elastic element: its force is found from the position and the kinetic velocity of
     the dialectic side, which are known, and acts on both sides. Momentum is exchanged without loss, whatever T_D is.

     The connectors have the variables of the Modelica Standard Library and of PlanarMechanics and may be connected to theirs. */

  connector Flange "as Modelica.Mechanics.Translational.Interfaces.Flange_a"
    Real s(unit = "m");
    flow Real f(unit = "N");
  end Flange;

  connector Shaft "as Modelica.Mechanics.Rotational.Interfaces.Flange_a"
    Real phi(unit = "rad");
    flow Real tau(unit = "N.m");
  end Shaft;

  connector Frame "as PlanarMechanics.Interfaces.Frame_a"
    Real x(unit = "m");
    Real y(unit = "m");
    Real phi(unit = "rad");
    flow Real fx(unit = "N");
    flow Real fy(unit = "N");
    flow Real t(unit = "N.m");
  end Frame;

  model Translational "a classical flange and a dialectic one, joined by a spring and a damper"
    Flange flange_a;
    Dialectic.Translational.Flange flange_b;
    parameter Real c(unit = "N/m", min = 0) = 1e6 "stiffness";
    parameter Real d(unit = "N.s/m", min = 0) = 1e3 "damping";
    parameter Real l(unit = "m") = 0 "length without force";
    Real f(unit = "N") "force at flange_b";
  equation
    f = c*(flange_b.s - flange_a.s - l) + d*(flange_b.v - der(flange_a.s));
    flange_a.f = -f;
    flange_b.f_el = f;
    flange_b.f_ki = 0;
  end Translational;

  model Rotational "a classical shaft and a dialectic one, joined by a spring and a damper"
    Shaft flange_a;
    Dialectic.Rotational.Flange flange_b;
    parameter Real c(unit = "N.m/rad", min = 0) = 1e4 "stiffness";
    parameter Real d(unit = "N.m.s/rad", min = 0) = 10 "damping";
    parameter Real phi0(unit = "rad") = 0 "angle without torque";
    Real tau(unit = "N.m") "torque at flange_b";
  equation
    tau = c*(flange_b.phi - flange_a.phi - phi0) + d*(flange_b.w - der(flange_a.phi));
    flange_a.tau = -tau;
    flange_b.tau_el = tau;
    flange_b.tau_ki = 0;
  end Rotational;

  model Planar "a classical frame and a dialectic one, joined by springs and dampers in x, y and phi"
    Frame frame_a;
    Dialectic.Planar.Frame frame_b;
    parameter Real c(unit = "N/m", min = 0) = 1e6 "stiffness";
    parameter Real d(unit = "N.s/m", min = 0) = 1e3 "damping";
    parameter Real c_phi(unit = "N.m/rad", min = 0) = 1e4 "stiffness against turning";
    parameter Real d_phi(unit = "N.m.s/rad", min = 0) = 10 "damping of turning";
    Real fx(unit = "N"), fy(unit = "N"), t(unit = "N.m") "at frame_b";
  equation
    fx = c*(frame_b.x - frame_a.x) + d*(frame_b.vx - der(frame_a.x));
    fy = c*(frame_b.y - frame_a.y) + d*(frame_b.vy - der(frame_a.y));
    t = c_phi*(frame_b.phi - frame_a.phi) + d_phi*(frame_b.w - der(frame_a.phi));
    frame_a.fx = -fx;
    frame_a.fy = -fy;
    // the forces act at two points: angular momentum stays as well
    frame_a.t = -t - (frame_b.x - frame_a.x)*fy + (frame_b.y - frame_a.y)*fx;
    frame_b.fx_el = fx;
    frame_b.fy_el = fy;
    frame_b.t_el = t;
    frame_b.fx_ki = 0;
    frame_b.fy_ki = 0;
    frame_b.t_ki = 0;
  end Planar;

  model Mass "classical: m der(v) = f"
    Flange flange_a, flange_b;
    parameter Real m(unit = "kg") = 1;
    Real s(unit = "m", start = 0, fixed = true), v(unit = "m/s", start = 0, fixed = true);
  equation
    flange_a.s = s;
    flange_b.s = s;
    der(s) = v;
    m*der(v) = flange_a.f + flange_b.f;
  end Mass;

  model Inertia "classical: J der(w) = tau"
    Shaft flange_a, flange_b;
    parameter Real J(unit = "kg.m2") = 1;
    Real phi(unit = "rad", start = 0), w(unit = "rad/s", start = 0);
  equation
    flange_a.phi = phi;
    flange_b.phi = phi;
    der(phi) = w;
    J*der(w) = flange_a.tau + flange_b.tau;
  end Inertia;

  model Spindle "turns one revolution for each pitch"
    Shaft flange_a;
    Flange flange_b;
    parameter Real pitch(unit = "m") = 0.01;
  equation
    flange_b.s = pitch/(2*3.141592653589793)*flange_a.phi;
    flange_a.tau + pitch/(2*3.141592653589793)*flange_b.f = 0;
  end Spindle;

  model Torque "of a motor, with a speed at which nothing is left of it"
    Shaft flange;
    parameter Real tau(unit = "N.m") = 0.2;
    parameter Real w0(unit = "rad/s") = 100;
  equation
    flange.tau = -tau*(1 - der(flange.phi)/w0);
  end Torque;

  model Gripper "a classical drive closes a dialectic jaw on a part that is held by a stiff contact"
    inner Dialectic.World world(g = 0);
    Torque motor;
    Inertia rotor(J = 1e-4);
    Spindle spindle;
    Mass nut(m = 0.2);
    Translational adapter;
    Dialectic.Translational.Fixed base, part(s = 0.02);
    Dialectic.Translational.Joint guide;
    Dialectic.Translational.Body jaw(m = 0.5);
    Dialectic.Translational.ElastoGap touch(c = 1e6, d = 500, l = 0);
  equation
    connect(motor.flange, rotor.flange_a);
    connect(rotor.flange_b, spindle.flange_a);
    connect(spindle.flange_b, nut.flange_a);
    connect(nut.flange_b, adapter.flange_a);
    connect(adapter.flange_b, guide.flange_b);
    connect(base.flange_b, guide.flange_a);
    connect(guide.flange_b, jaw.flange_a);
    connect(guide.flange_b, touch.flange_a);
    connect(part.flange_b, touch.flange_b);
    annotation(experiment(StopTime = 0.5));
  end Gripper;

  model Point "classical mass in the plane"
    Frame frame;
    parameter Real m(unit = "kg") = 1, J(unit = "kg.m2") = 0.1;
    Real x(start = 0), y(start = 0), phi(start = 0), vx(start = 0), vy(start = 0), w(start = 0);
  equation
    frame.x = x;
    frame.y = y;
    frame.phi = phi;
    der(x) = vx;
    der(y) = vy;
    der(phi) = w;
    m*der(vx) = frame.fx;
    m*der(vy) = frame.fy;
    J*der(w) = frame.t;
  end Point;

  model Pair "a classical and a dialectic body in free flight, joined: momentum stays"
    inner Dialectic.World world(g = 0, TD = 1e-4);
    Point point(m = 2, vx(start = 1), vy(start = 0.5), w(start = 2));
    Planar adapter;
    Dialectic.Planar.Fixed origin;
    Dialectic.Planar.FreeMotion free;
    Dialectic.Planar.FixedTranslation rod(r = {0.3, 0});
    Dialectic.Planar.Body body(m = 1, I = 0.05);
  equation
    connect(point.frame, adapter.frame_a);
    connect(adapter.frame_b, free.frame_b);
    connect(origin.frame, free.frame_a);
    connect(free.frame_b, rod.frame_a);
    connect(rod.frame_b, body.frame_a);
    annotation(experiment(StopTime = 2));
  end Pair;
end Adapters;
