package Dialectic

  package Planar "wheels and gears"

    model RollingDisc "joint: a disc that rolls without slip along a straight line through frame_a; frame_b is its centre and turns with it"
      Frame frame_a "the ground", frame_b "the centre of the disc";
      Translational.Flange flange_a "moves with s: springs, motors, limits", support "the ground: s = 0";
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant";
      parameter Real radius(unit = "m", min = 1e-60) "radius";
      parameter Real r[2] = {1, 0} "direction of the line in the axes of frame_a; the disc is on its left";
      final parameter Real n[2] = {-r[2], r[1]}/sqrt(r*r) "normal of the line, towards the disc";
      Real s(unit = "m", start = 0) "way along the line", v(unit = "m/s", start = 0) "kinetic velocity", v_el(unit = "m/s") "elastic velocity";
      Real n0[2] "normal in the axes of the world", e0[2] "direction of the line", d[2](each unit = "m") "from frame_a to frame_b";
      Real t_el(unit = "N.m"), t_ki(unit = "N.m") "torques of frame_b about the point that touches the ground";
      Real filterPower(unit = "W") = (v_el - v)*(flange_a.f_el - t_el/radius);
    equation
      n0 = {cos(frame_a.phi)*n[1] - sin(frame_a.phi)*n[2], sin(frame_a.phi)*n[1] + cos(frame_a.phi)*n[2]};
      e0 = {n0[2], -n0[1]};
      d = s*e0 + radius*n0;
      {frame_b.x, frame_b.y} = {frame_a.x, frame_a.y} + d;
      frame_b.phi = frame_a.phi - s/radius;
      {frame_b.vx, frame_b.vy} = {frame_a.vx, frame_a.vy} + frame_a.w*{-d[2], d[1]} + v*e0;
      frame_b.w = frame_a.w - v/radius;
      {flange_a.s, flange_a.v} = {s, v};
      {support.s, support.v} = {0, 0};
      der(s) = v_el;
      TD*der(v) = v_el - v;
      {frame_a.fx_el, frame_a.fy_el} = -{frame_b.fx_el, frame_b.fy_el};
      {frame_a.fx_ki, frame_a.fy_ki} = -{frame_b.fx_ki, frame_b.fy_ki};
      frame_a.t_el + frame_b.t_el + d[1]*frame_b.fy_el - d[2]*frame_b.fx_el = 0;
      frame_a.t_ki + frame_b.t_ki + d[1]*frame_b.fy_ki - d[2]*frame_b.fx_ki = 0;
      t_el = frame_b.t_el - radius*(frame_b.fx_el*e0[1] + frame_b.fy_el*e0[2]);
      t_ki = frame_b.t_ki - radius*(frame_b.fx_ki*e0[1] + frame_b.fy_ki*e0[2]);
      t_el + t_ki = radius*(flange_a.f_el + flange_a.f_ki);
    end RollingDisc;

    model IdealWheel "a wheel seen from above that rolls along the x axis of its frame and slips neither along nor across"
      Frame frame "its middle";
      Rotational.Flange flange "its axle: connect motors, brakes and the Inertia of the wheel";
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant";
      parameter Real radius(unit = "m", min = 1e-60) "radius";
      parameter Real T_roll(unit = "s", min = 1e-60) = 1e-3 "with TD = 0: time constant in which a velocity across goes";
      Real phi(unit = "rad", start = 0) "angle of the wheel";
      Real e[2] "direction in which it rolls", v(unit = "m/s") "velocity along", across(unit = "m/s") "velocity across, kinetic";
      parameter Real M(unit = "kg", min = 0) = 1e7 "inertia against motion across: what carries a force f moves across with f T/M, where T is TD or T_roll";
      Real f(unit = "N") "force of the ground across";
      // It holds the elastic velocity, along which it has no power; what it has along the kinetic one is the filter's.
      Real filterPower(unit = "W") = if TD > 0 then -f*across else 0, lossPower(unit = "W") = if TD > 0 then 0 else -f*across;
    equation
      e = {cos(frame.phi), sin(frame.phi)};
      v = frame.vx*e[1] + frame.vy*e[2];
      across = frame.vy*e[1] - frame.vx*e[2];
      flange.phi = phi;
      flange.w = v/radius;
      radius*der(phi) = der(frame.x)*e[1] + der(frame.y)*e[2];
      f = -M*(der(frame.vy)*e[1] - der(frame.vx)*e[2] + (if TD > 0 then across/TD else across/T_roll - v*der(frame.phi)));
      {frame.fx_el, frame.fy_el} = -flange.tau_el/radius*e;
      {frame.fx_ki, frame.fy_ki} = {f*e[2] - flange.tau_ki/radius*e[1], -f*e[1] - flange.tau_ki/radius*e[2]};
      frame.t_el = 0;
      frame.t_ki = 0;
    end IdealWheel;

    partial model Wheel "a wheel seen from above that rolls along the x axis of its frame, with dry friction along and across"
      Frame frame "its middle";
      Rotational.Flange flange "its axle: connect motors and brakes";
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant";
      parameter Real radius(unit = "m", min = 1e-60) "radius", J(unit = "kg.m2", min = 1e-60) "moment of inertia about the axle";
      parameter Real N(unit = "N", min = 0) "load of the wheel";
      parameter Real mu_A(min = 0) = 1 "friction coefficient at adhesion", mu_S(min = 0) = 0.7 "friction coefficient at sliding";
      Real phi(unit = "rad", start = 0) "angle", w(unit = "rad/s", start = 0) "kinetic angular velocity", w_el(unit = "rad/s") "elastic angular velocity";
      Real e[2] "direction in which it rolls", slip[2](each unit = "m/s") "velocity against the ground, along and across", v(unit = "m/s") "its amount";
      Real f[2](each unit = "N") "force of the ground, along and across", k(unit = "N.s/m") "force over slip: the triple S-function";
      Real kineticEnergy(unit = "J"), lossPower(unit = "W"), filterPower(unit = "W") = (w_el - w)*flange.tau_el;
      Real vA(unit = "m/s") "slip of highest friction", vS(unit = "m/s") "slip where sliding is reached", part "of the way between these, -1 to 1";
    equation
      e = {cos(frame.phi), sin(frame.phi)};
      slip = {frame.vx*e[1] + frame.vy*e[2] - radius*w, frame.vy*e[1] - frame.vx*e[2]};
      v = sqrt(slip*slip);
      part = noEvent(min(max((2*v - vA - vS)/(vS - vA), -1), 1));
      k = N*noEvent(if v < vA then mu_A*(3 - (v/vA)^2)/(2*vA) else ((mu_A + mu_S)/2 - (mu_A - mu_S)/4*part*(3 - part^2))/v);
      f = -k*slip;
      der(phi) = w_el;
      TD*der(w) = w_el - w;
      kineticEnergy = J*w^2/2;
      lossPower = k*v^2;
      J*der(w) = flange.tau_el + flange.tau_ki - radius*f[1];
      {flange.phi, flange.w} = {phi, w};
      {frame.fx_ki, frame.fy_ki} = -{f[1]*e[1] - f[2]*e[2], f[1]*e[2] + f[2]*e[1]};
      frame.t_ki = 0;
      {frame.fx_el, frame.fy_el, frame.t_el} = zeros(3);
    end Wheel;

    model DryFrictionWheel "a wheel seen from above whose friction depends on the velocity against the ground"
      extends Wheel;
      parameter Real vAdhesion(unit = "m/s", min = 1e-60) = 0.1 "slip of highest friction", vSlide(unit = "m/s") = 0.5 "slip where sliding is reached";
    equation
      assert(vSlide > vAdhesion, "the velocity of sliding must be greater than the velocity of adhesion");
      vA = vAdhesion;
      vS = vSlide;
    end DryFrictionWheel;

    model SlipWheel "a wheel seen from above whose friction depends on the velocity against the ground over that of its rim"
      extends Wheel;
      parameter Real sAdhesion(min = 1e-60) = 0.1 "relative slip of highest friction", sSlide = 0.5 "relative slip where sliding is reached";
      parameter Real vMin(unit = "m/s", min = 1e-60) = 1 "a slower rim counts as this";
      Real rim(unit = "m/s") "velocity of the rim";
    equation
      assert(sSlide > sAdhesion, "the slip of sliding must be greater than the slip of adhesion");
      rim = noEvent(max(radius*abs(w), vMin));
      vA = sAdhesion*rim;
      vS = sSlide*rim;
    end SlipWheel;

    model GearTouch "forces between the teeth of two wheels: a part of GearContact"
      Frame frame_a "moves with the first wheel, where frame_b is", frame_b "centre of the second wheel";
      Signals.RealInput x "centre of the first wheel in m", y "centre of the first wheel in m";
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant";
      parameter Real radius_a(unit = "m"), radius_b(unit = "m"), pitch(unit = "m") "from tooth to tooth";
      parameter Real inside "-1: the first wheel is a ring around the second one; 1: beside each other";
      parameter Real c(unit = "N/m", min = 0), d(unit = "N.s/m", min = 0);
      parameter Real s_mesh(unit = "m", fixed = false) "way where the teeth are in mesh";
      final parameter Real k(unit = "1/m") = 2*3.141592653589793/pitch;
      Real r[2](each unit = "m"), l(unit = "m"), t[2] "across the line of centres";
      Real s(unit = "m") "way of the teeth against each other", u(unit = "m/s") "its rate, kinetic", u_el(unit = "m/s") "and elastic";
      Real f(unit = "N") "force between the teeth", f_el(unit = "N"), f_ki(unit = "N"), d_el(unit = "N.s/m");
      Real lossPower(unit = "W"), potentialEnergy(unit = "J"), filterPower(unit = "W") = d_el*(u_el - u)*u_el;
    initial equation
      s = s_mesh;
    equation
      assert(abs(l - radius_a - inside*radius_b) < pitch/4, "the centres of the wheels are not at the distance of their pitch circles");
      r = {frame_b.x - x, frame_b.y - y};
      l = sqrt(r*r);
      t = {-r[2], r[1]}/l;
      s = (radius_a + inside*radius_b)*atan2(r[2], r[1]) - inside*radius_b*frame_b.phi - radius_a*frame_a.phi;
      u = {frame_b.vx - frame_a.vx, frame_b.vy - frame_a.vy}*t - inside*radius_b*(frame_b.w - frame_a.w);
      u_el = {der(frame_b.x) - der(frame_a.x), der(frame_b.y) - der(frame_a.y)}*t - inside*radius_b*(der(frame_b.phi) - der(frame_a.phi));
      f = c/k*sin(k*(s - s_mesh));
      d_el = if TD > 0 then d + c*TD*noEvent(max(cos(k*(s - s_mesh)), 0)) else 0;
      f_el = f + d_el*(u_el - u);
      f_ki = d*u;
      {frame_b.fx_el, frame_b.fy_el, frame_b.t_el} = f_el*{t[1], t[2], -inside*radius_b};
      {frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki} = f_ki*{t[1], t[2], -inside*radius_b};
      {frame_a.fx_el, frame_a.fy_el, frame_a.t_el} = -{frame_b.fx_el, frame_b.fy_el, frame_b.t_el};
      {frame_a.fx_ki, frame_a.fy_ki, frame_a.t_ki} = -{frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki};
      lossPower = d*u^2;
      potentialEnergy = c/k^2*(1 - cos(k*(s - s_mesh)));
    end GearTouch;

    model GearContact "teeth of two wheels in the plane: their pitch circles roll on each other, as stiff as the teeth are; overloaded they skip"
      Frame frame_a "centre of the first wheel", frame_b "centre of the second wheel; joints keep both at their distance";
      parameter Real radius_a(unit = "m") "pitch radius of the first wheel", radius_b(unit = "m") "pitch radius of the second wheel";
      parameter Integer teeth(min = 1) = 20 "of the first wheel; the second one has as many as its radius asks for";
      parameter Boolean internal = false "the first wheel is a ring around the second one";
      parameter Real c(unit = "N/m", min = 0) "stiffness of the teeth along the pitch circle", d(unit = "N.s/m", min = 0) = 0 "damping";
      PositionSensor at_a, at_b;
      Lever lever "takes the motion of the first wheel to the centre of the second";
      GearTouch touch(radius_a = radius_a, radius_b = radius_b, pitch = 2*3.141592653589793*radius_a/teeth, inside = if internal then -1 else 1, c = c, d = d);
      final parameter Real teeth_b = teeth*radius_b/radius_a "of the second wheel";
    equation
      assert(abs(teeth_b - integer(teeth_b + 0.5)) < 1e-6, "the second wheel would not have a whole number of teeth");
      connect(frame_a, at_a.frame);
      connect(frame_b, at_b.frame);
      connect(frame_a, lever.frame_a);
      connect(at_b.x, lever.x);
      connect(at_b.y, lever.y);
      connect(lever.frame_b, touch.frame_a);
      connect(frame_b, touch.frame_b);
      connect(at_a.x, touch.x);
      connect(at_a.y, touch.y);
    end GearContact;
  end Planar;
end Dialectic;
