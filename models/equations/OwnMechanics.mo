package OwnMechanics "Dialectic mechanics written as equations: each class is compiled like those of the library"

  partial model Joint1D "two flanges, forces handed through"
    Dialectic.Translational.Flange flange_a, flange_b;
  equation
    flange_a.f_el + flange_b.f_el = 0;
    flange_a.f_ki + flange_b.f_ki = 0;
  end Joint1D;

  model Joint "sliding joint of dialectic mechanics"
    extends Joint1D;
    outer Dialectic.World world;
    parameter Real TD(unit = "s") = world.TD;
    Real s(unit = "m", start = 0) "elastic position";
    Real v(unit = "m/s", start = 0) "kinetic velocity";
    Real v_el(unit = "m/s") "elastic velocity";
  equation
    flange_b.s = flange_a.s + s;
    flange_b.v = flange_a.v + v;
    der(s) = v_el;
    TD*der(v) = v_el - v;
    flange_b.f_el + flange_b.f_ki = 0;
  end Joint;

  model Mass
    Dialectic.Translational.Flange flange_a;
    parameter Real m(unit = "kg");
  equation
    flange_a.f_ki = m*der(flange_a.v);
    flange_a.f_el = 0;
  end Mass;

  model Spring "spring and damper; with d_el = d + c T_D on the difference of both velocities"
    extends Joint1D;
    outer Dialectic.World world;
    parameter Real c(unit = "N/m"), d(unit = "N.s/m") = 0;
    parameter Real TD(unit = "s") = world.TD;
    parameter Real s_rel0(unit = "m") = 0;
    final parameter Real d_el = d + c*TD;
    Real s_rel, v_rel, v_el;
  equation
    s_rel = flange_b.s - flange_a.s - s_rel0;
    v_rel = flange_b.v - flange_a.v;
    v_el = der(s_rel);
    flange_b.f_el = c*s_rel + d*v_rel + d_el*(v_el - v_rel);
    flange_b.f_ki = 0;
  end Spring;

  model Revolute "joint of the plane"
    Dialectic.Planar.Frame frame_a, frame_b;
    outer Dialectic.World world;
    parameter Real TD(unit = "s") = world.TD;
    Real phi(unit = "rad", start = 0), w(unit = "rad/s", start = 0), w_el(unit = "rad/s");
  equation
    {frame_b.x, frame_b.y, frame_b.phi} = {frame_a.x, frame_a.y, frame_a.phi + phi};
    {frame_b.vx, frame_b.vy, frame_b.w} = {frame_a.vx, frame_a.vy, frame_a.w + w};
    der(phi) = w_el;
    TD*der(w) = w_el - w;
    {frame_a.fx_el, frame_a.fy_el, frame_a.t_el} = -{frame_b.fx_el, frame_b.fy_el, frame_b.t_el};
    {frame_a.fx_ki, frame_a.fy_ki, frame_a.t_ki} = -{frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki};
    frame_b.t_el + frame_b.t_ki = 0;
  end Revolute;

  partial model Lever "frame_b stands at r0 from frame_a and turns with it"
    Dialectic.Planar.Frame frame_a, frame_b;
    Real r0[2](each unit = "m");
  equation
    {frame_b.x, frame_b.y} = {frame_a.x, frame_a.y} + r0;
    frame_b.phi = frame_a.phi;
    frame_b.w = frame_a.w;
    {frame_a.fx_el, frame_a.fy_el} = -{frame_b.fx_el, frame_b.fy_el};
    {frame_a.fx_ki, frame_a.fy_ki} = -{frame_b.fx_ki, frame_b.fy_ki};
    frame_a.t_el + frame_b.t_el + r0[1]*frame_b.fy_el - r0[2]*frame_b.fx_el = 0;
    frame_a.t_ki + frame_b.t_ki + r0[1]*frame_b.fy_ki - r0[2]*frame_b.fx_ki = 0;
  end Lever;

  function rotate "a vector turned by an angle"
    input Real phi, r[2];
    output Real r0[2];
  algorithm
    r0 := {cos(phi)*r[1] - sin(phi)*r[2], sin(phi)*r[1] + cos(phi)*r[2]};
  end rotate;

  model FixedTranslation
    extends Lever;
    parameter Real r[2](each unit = "m");
  equation
    r0 = rotate(frame_a.phi, r);
    {frame_b.vx, frame_b.vy} = {frame_a.vx, frame_a.vy} + frame_a.w*{-r0[2], r0[1]};
  end FixedTranslation;

  model Prismatic
    extends Lever;
    outer Dialectic.World world;
    parameter Real TD(unit = "s") = world.TD;
    parameter Real r[2] = {1, 0} "direction";
    final parameter Real e[2] = r/sqrt(r*r);
    Real e0[2], s(unit = "m", start = 0), v(unit = "m/s", start = 0), v_el(unit = "m/s");
  equation
    e0 = rotate(frame_a.phi, e);
    r0 = e0*s;
    {frame_b.vx, frame_b.vy} = {frame_a.vx, frame_a.vy} + frame_a.w*{-r0[2], r0[1]} + v*e0;
    der(s) = v_el;
    TD*der(v) = v_el - v;
    {frame_b.fx_el + frame_b.fx_ki, frame_b.fy_el + frame_b.fy_ki}*e0 = 0;
  end Prismatic;

  model Body
    Dialectic.Planar.Frame frame_a;
    outer Dialectic.World world;
    parameter Real m(unit = "kg"), I(unit = "kg.m2") = 0;
    parameter Real g(unit = "m/s2") = world.g;
  equation
    frame_a.fx_ki = m*der(frame_a.vx);
    frame_a.fy_ki = m*(der(frame_a.vy) + g);
    frame_a.t_ki = I*der(frame_a.w);
    {frame_a.fx_el, frame_a.fy_el, frame_a.t_el} = zeros(3);
  end Body;

  model SpringDamper "springs and dampers of the plane; d_el = d + c T_D on the difference of both velocities"
    Dialectic.Planar.Frame frame_a, frame_b;
    outer Dialectic.World world;
    parameter Real TD(unit = "s") = world.TD;
    parameter Boolean damped = world.damped;
    parameter Real c_x(unit = "N/m") = 1, c_y(unit = "N/m") = 1, c_phi(unit = "N.m/rad") = 1;
    parameter Real d_x(unit = "N.s/m") = 0, d_y(unit = "N.s/m") = 0, d_phi(unit = "N.m.s/rad") = 0;
    parameter Real s_relx0(unit = "m") = 0, s_rely0(unit = "m") = 0, phi_rel0(unit = "rad") = 0;
    Real s_rel[3], v_rel[3], v_el[3];
  protected
    final parameter Real c[3] = {c_x, c_y, c_phi}, d[3] = {d_x, d_y, d_phi};
    final parameter Real d_el[3] = if damped then d + TD*c else zeros(3);
  equation
    s_rel = {frame_b.x - frame_a.x - s_relx0, frame_b.y - frame_a.y - s_rely0, frame_b.phi - frame_a.phi - phi_rel0};
    v_rel = {frame_b.vx - frame_a.vx, frame_b.vy - frame_a.vy, frame_b.w - frame_a.w};
    v_el = der(s_rel);
    {frame_b.fx_el, frame_b.fy_el, frame_b.t_el} = c.*s_rel + d.*v_rel + d_el.*(v_el - v_rel);
    {frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki} = zeros(3);
    {frame_a.fx_el, frame_a.fy_el, frame_a.t_el} = -{frame_b.fx_el, frame_b.fy_el, frame_b.t_el};
    {frame_a.fx_ki, frame_a.fy_ki, frame_a.t_ki} = zeros(3);
  end SpringDamper;

  model CraneCrab "the crane crab, of these classes alone but for the ground"
    inner Dialectic.World world(TD = 1e-3);
    Dialectic.Planar.Fixed fixed;
    Prismatic prismatic(r = {1, 0});
    Body cart(m = 2);
    Revolute revolute(phi(start = 1));
    FixedTranslation rod(r = {0, -1});
    Body load(m = 1);
  equation
    connect(fixed.frame, prismatic.frame_a);
    connect(prismatic.frame_b, cart.frame_a);
    connect(prismatic.frame_b, revolute.frame_a);
    connect(revolute.frame_b, rod.frame_a);
    connect(rod.frame_b, load.frame_a);
    annotation(experiment(StopTime = 10));
  end CraneCrab;

  model TwoMasses "masses on own joints, an own spring between them"
    inner Dialectic.World world(TD = 1e-3);
    Dialectic.Translational.Fixed fixed;
    Joint j1(s(start = 0.3)), j2(s(start = 0.8));
    Mass m1(m = 2), m2(m = 1);
    Spring s1(c = 50, d = 0.5), s2(c = 400, s_rel0 = 0.5);
  equation
    connect(fixed.flange_b, j1.flange_a);
    connect(j1.flange_b, m1.flange_a);
    connect(fixed.flange_b, j2.flange_b);
    connect(j2.flange_a, m2.flange_a);
    connect(fixed.flange_b, s1.flange_a);
    connect(s1.flange_b, j1.flange_b);
    connect(j1.flange_b, s2.flange_a);
    connect(s2.flange_b, j2.flange_a);
    annotation(experiment(StopTime = 3));
  end TwoMasses;
end OwnMechanics;
