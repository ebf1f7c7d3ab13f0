package Dialectic

  package Planar "Dialectic mechanics in the plane"

    // Signals of a frame are its elastic pose (x, y, phi) and its kinetic velocity (vx, vy, w); the derivatives of the
    // first are the elastic velocity, those of the second the kinetic acceleration. A lever r0 turns with the elastic angle.
    // Forces of both regimes are handed on separately. Joints follow listing 7 of paper 001.

    function rotate "a vector turned by an angle"
      input Real phi, r[2];
      output Real r0[2];
    algorithm
      r0 := {cos(phi)*r[1] - sin(phi)*r[2], sin(phi)*r[1] + cos(phi)*r[2]};
    end rotate;

    partial model RigidForces "forces at frame_b act at frame_a, with the lever r0 between the two"
      Frame frame_a "frame", frame_b "frame";
    protected
      Real r0[2](each unit = "m");
    equation
      {frame_a.fx_el, frame_a.fy_el} = -{frame_b.fx_el, frame_b.fy_el};
      {frame_a.fx_ki, frame_a.fy_ki} = -{frame_b.fx_ki, frame_b.fy_ki};
      frame_a.t_el + (frame_b.t_el + r0[1]*frame_b.fy_el - r0[2]*frame_b.fx_el) = 0;
      frame_a.t_ki + (frame_b.t_ki + r0[1]*frame_b.fy_ki - r0[2]*frame_b.fx_ki) = 0;
    end RigidForces;

    partial model RigidLink "frame_b stands at r0 from frame_a and turns with it"
      extends RigidForces;
    equation
      {frame_b.x, frame_b.y} = {frame_a.x, frame_a.y} + r0;
      frame_b.phi = frame_a.phi;
      frame_b.w = frame_a.w;
    end RigidLink;

    model Fixed "Fixed frame: a root"
      Frame frame "fixed frame";
      parameter Real r[2](each unit = "m") = {0, 0} "position";
      parameter Real phi(unit = "rad") = 0 "angle";
    equation
      {frame.x, frame.y, frame.phi} = {r[1], r[2], phi};
      {frame.vx, frame.vy, frame.w} = zeros(3);
    end Fixed;

    model FixedTranslation "Rigid offset"
      extends RigidLink;
      parameter Real r[2](each unit = "m") = {0, 0} "from frame_a to frame_b, in the axes of frame_a";
    equation
      r0 = rotate(frame_a.phi, r);
      {frame_b.vx, frame_b.vy} = {frame_a.vx, frame_a.vy} + frame_a.w*{-r0[2], r0[1]};
    end FixedTranslation;

    model FixedRotation "Rigid turn"
      Frame frame_a "frame", frame_b "frame";
      parameter Real alpha(unit = "rad") = 0 "from frame_a to frame_b";
    equation
      {frame_b.x, frame_b.y, frame_b.phi} = {frame_a.x, frame_a.y, frame_a.phi + alpha};
      {frame_b.vx, frame_b.vy, frame_b.w} = {frame_a.vx, frame_a.vy, frame_a.w};
      {frame_a.fx_el, frame_a.fy_el, frame_a.t_el} = -{frame_b.fx_el, frame_b.fy_el, frame_b.t_el};
      {frame_a.fx_ki, frame_a.fy_ki, frame_a.t_ki} = -{frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki};
    end FixedRotation;

    model Body "Mass and moment of inertia under gravity"
      Frame frame_a "frame of the centre of mass";
      outer World world;
      parameter Real m(unit = "kg", min = 0) = 1 "mass";
      parameter Real I(unit = "kg.m2", min = 0) = 0 "moment of inertia about the centre of mass";
      parameter Real g(unit = "m/s2") = world.g "gravity along -y";
      Real kineticEnergy = 0.5*(m*(frame_a.vx*frame_a.vx + frame_a.vy*frame_a.vy) + I*frame_a.w*frame_a.w);
      Real potentialEnergy = m*g*frame_a.y;
    equation
      {frame_a.fx_ki, frame_a.fy_ki, frame_a.t_ki} = {m*der(frame_a.vx), m*der(frame_a.vy), I*der(frame_a.w)};
      {frame_a.fx_el, frame_a.fy_el, frame_a.t_el} = {0, m*g, 0};
    end Body;

    model Prismatic "Sliding joint with a flange for springs, motors and limits"
      extends RigidLink;
      Translational.Flange flange_a "moves with s: springs, motors, limits", support "base of the joint: s = 0";
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant; 0 is classical mechanics" annotation(Evaluate = true);
      parameter Real r[2](each unit = "m") "direction in the axes of frame_a";
      Real s(unit = "m", start = 0) "relative position, elastic regime";
      Real v(unit = "m/s", start = 0) "relative velocity, kinetic regime";
      Real v_el(unit = "m/s") "elastic velocity";
      Real a(unit = "m/s2") "kinetic acceleration";
      Real filterPower = (v_el - v)*({frame_b.fx_el, frame_b.fy_el}*e0 + flange_a.f_el);
    protected
      final parameter Real e[2] = r/sqrt(r*r);
      Real e0[2];
    equation
      assert(r[1] <> 0 or r[2] <> 0, "the direction r must not be zero");
      e0 = rotate(frame_a.phi, e);
      r0 = s*e0;
      {frame_b.vx, frame_b.vy} = {frame_a.vx, frame_a.vy} + frame_a.w*{-r0[2], r0[1]} + v*e0;
      a = der(v);
      v_el = der(s);
      v_el = v + TD*a;
      {flange_a.s, flange_a.v} = {s, v};
      {support.s, support.v} = zeros(2);
      {frame_b.fx_el + frame_b.fx_ki, frame_b.fy_el + frame_b.fy_ki}*e0 + flange_a.f_el + flange_a.f_ki = 0;
    end Prismatic;

    model Revolute "Turning joint with a flange for springs, motors and limits"
      Frame frame_a "frame", frame_b "frame turned by phi";
      Rotational.Flange flange_a "moves with phi: springs, motors, limits", support "base of the joint: phi = 0";
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant; 0 is classical mechanics" annotation(Evaluate = true);
      Real phi(unit = "rad", start = 0) "relative angle, elastic regime";
      Real w(unit = "rad/s", start = 0) "relative angular velocity, kinetic regime";
      Real w_el(unit = "rad/s") "elastic angular velocity";
      Real z(unit = "rad/s2") "kinetic angular acceleration";
      Real filterPower = (w_el - w)*(frame_b.t_el + flange_a.tau_el);
    equation
      {frame_b.x, frame_b.y, frame_b.phi} = {frame_a.x, frame_a.y, frame_a.phi + phi};
      {frame_b.vx, frame_b.vy, frame_b.w} = {frame_a.vx, frame_a.vy, frame_a.w + w};
      z = der(w);
      w_el = der(phi);
      w_el = w + TD*z;
      {flange_a.phi, flange_a.w} = {phi, w};
      {support.phi, support.w} = zeros(2);
      {frame_a.fx_el, frame_a.fy_el, frame_a.t_el} = -{frame_b.fx_el, frame_b.fy_el, frame_b.t_el};
      {frame_a.fx_ki, frame_a.fy_ki, frame_a.t_ki} = -{frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki};
      frame_b.t_el + frame_b.t_ki + flange_a.tau_el + flange_a.tau_ki = 0;
    end Revolute;

    model FreeMotion "Three degrees of freedom"
      extends RigidForces;
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant; 0 is classical mechanics" annotation(Evaluate = true);
      Real x(unit = "m", start = 0) "position in the axes of frame_a, elastic regime";
      Real y(unit = "m", start = 0) "position in the axes of frame_a, elastic regime";
      Real phi(unit = "rad", start = 0) "relative angle, elastic regime";
      Real vx(unit = "m/s", start = 0) "velocity, kinetic regime";
      Real vy(unit = "m/s", start = 0) "velocity, kinetic regime";
      Real w(unit = "rad/s", start = 0) "angular velocity, kinetic regime";
      Real ax(unit = "m/s2") "kinetic acceleration", ay(unit = "m/s2") "kinetic acceleration";
      Real z(unit = "rad/s2") "kinetic angular acceleration";
      Real filterPower = TD*(ax*({frame_b.fx_el, frame_b.fy_el}*ex) + ay*({frame_b.fx_el, frame_b.fy_el}*ey) + z*frame_b.t_el);
    protected
      Real ex[2] = rotate(frame_a.phi, {1, 0}), ey[2] = rotate(frame_a.phi, {0, 1}) "axes of frame_a";
    equation
      r0 = rotate(frame_a.phi, {x, y});
      {frame_b.x, frame_b.y, frame_b.phi} = {frame_a.x + r0[1], frame_a.y + r0[2], frame_a.phi + phi};
      {frame_b.vx, frame_b.vy} = {frame_a.vx, frame_a.vy} + frame_a.w*{-r0[2], r0[1]} + rotate(frame_a.phi, {vx, vy});
      frame_b.w = frame_a.w + w;
      {ax, ay, z} = {der(vx), der(vy), der(w)};
      {der(x), der(y), der(phi)} = {vx + TD*ax, vy + TD*ay, w + TD*z};
      // nothing acts at frame_b along the three coordinates
      {frame_b.fx_el + frame_b.fx_ki, frame_b.fy_el + frame_b.fy_ki}*ex = 0;
      {frame_b.fx_el + frame_b.fx_ki, frame_b.fy_el + frame_b.fy_ki}*ey = 0;
      frame_b.t_el + frame_b.t_ki = 0;
    end FreeMotion;

    model SpringDamper "Springs and dampers in x, y and phi between two frames"
      Frame frame_a "frame", frame_b "frame";
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant; 0 is classical mechanics";
      parameter Boolean damped = world.damped "add d_el = d + c TD between elastic and kinetic velocity";
      parameter Real c_x(unit = "N/m", min = 0) = 1 "stiffness along x", c_y(unit = "N/m", min = 0) = 1 "stiffness along y";
      parameter Real c_phi(unit = "N.m/rad", min = 0) = 1 "rotational stiffness";
      parameter Real d_x(unit = "N.s/m", min = 0) = 0 "damping along x", d_y(unit = "N.s/m", min = 0) = 0 "damping along y";
      parameter Real d_phi(unit = "N.m.s/rad", min = 0) = 0 "rotational damping";
      parameter Real s_relx0(unit = "m") = 0 "distance without force along x", s_rely0(unit = "m") = 0 "distance without force along y";
      parameter Real phi_rel0(unit = "rad") = 0 "angle without torque";
      Real s_relx(unit = "m") = frame_b.x - frame_a.x "x_b - x_a", s_rely(unit = "m") = frame_b.y - frame_a.y "y_b - y_a";
      Real phi_rel(unit = "rad") = frame_b.phi - frame_a.phi "phi_b - phi_a";
      Real v_relx(unit = "m/s") = frame_b.vx - frame_a.vx "kinetic vx_b - vx_a", v_rely(unit = "m/s") = frame_b.vy - frame_a.vy "kinetic vy_b - vy_a";
      Real w_rel(unit = "rad/s") = frame_b.w - frame_a.w "kinetic w_b - w_a";
      Real potentialEnergy = 0.5*(c*(ds.*ds));
      Real lossPower = d*(if couples then v_el.*v_el else v.*v);
      Real filterPower = d_el*((v_el - v).*v_el) + d*(v.*v) - lossPower;
    protected
      // along x, y and phi, as in Translational.Compliance
      final parameter Real c[3] = {c_x, c_y, c_phi}, d[3] = {d_x, d_y, d_phi};
      final parameter Boolean couples = damped and TD > 0;
      final parameter Real d_el[3] = if couples then d + TD*c else zeros(3);
      Real ds[3] = {s_relx - s_relx0, s_rely - s_rely0, phi_rel - phi_rel0};
      Real v[3] = {v_relx, v_rely, w_rel}, v_el[3] = {der(s_relx), der(s_rely), der(phi_rel)};
    equation
      {frame_b.fx_el, frame_b.fy_el, frame_b.t_el} = c.*ds - d_el.*v + d_el.*v_el;
      {frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki} = d.*v;
      {frame_a.fx_el, frame_a.fy_el, frame_a.t_el} = -{frame_b.fx_el, frame_b.fy_el, frame_b.t_el};
      {frame_a.fx_ki, frame_a.fy_ki, frame_a.t_ki} = -{frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki};
    end SpringDamper;

    model WallSensor "Measures where a disc around frame_b meets a straight wall through frame_a"
      Frame frame_a "frame of the wall", frame_b "centre of the disc";
      parameter Real n[2](each unit = "1") "normal of the wall in the axes of frame_a";
      parameter Real radius(unit = "m", min = 0) = 0 "of the disc; 0 is a point";
      Signals.RealOutput x "point of contact", y "point of contact";
      Signals.RealOutput phi "direction of the normal, from the wall to the disc";
      Signals.RealOutput gap "negative in contact";
    protected
      final parameter Real direction = atan2(n[2], n[1]);
      Real n0[2] = {cos(phi), sin(phi)};
    equation
      assert(n[1] <> 0 or n[2] <> 0, "the normal n must not be zero");
      phi = frame_a.phi + direction;
      gap = n0[1]*(frame_b.x - frame_a.x) + n0[2]*(frame_b.y - frame_a.y) - radius;
      {x, y} = {frame_b.x, frame_b.y} - radius*n0;
      {frame_a.fx_el, frame_a.fy_el, frame_a.t_el, frame_a.fx_ki, frame_a.fy_ki, frame_a.t_ki} = zeros(6);
      {frame_b.fx_el, frame_b.fy_el, frame_b.t_el, frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki} = zeros(6);
    end WallSensor;

    // While the gap is negative, with the velocities of frame_b against frame_a along the normal n = (cos phi, sin phi) and
    // across it. Close to standstill friction is a very stiff damper; what d_el does to the spring, `slope` does to it: no
    // eigenvalue beyond 1/T_D. The normal force of friction is that of the states alone.
    model Touch "Hard contact of two frames that meet, with dry friction"
      Frame frame_a "frame", frame_b "frame";
      Signals.RealInput phi "direction of the normal, from frame_a to frame_b";
      Signals.RealInput gap "negative in contact";
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant; 0 is classical mechanics";
      parameter Boolean damped = world.damped "add d_el = d + c TD between elastic and kinetic velocity";
      parameter Real c(unit = "N/m", min = 0) = 1 "stiffness", d(unit = "N.s/m", min = 0) = 0 "damping";
      parameter Real mu_A(unit = "1", min = 0) = 0 "friction coefficient at adhesion";
      parameter Real mu_S(unit = "1", min = 0) = 0 "friction coefficient at sliding";
      parameter Real vAdhesion(unit = "m/s", min = 1e-300) = 1e-3 "velocity of highest friction";
      parameter Real vSlide(unit = "m/s", min = 0) = 1e-2 "velocity where sliding is reached";
      Real approach(unit = "m/s") = n*v "kinetic velocity of frame_b along the normal";
      Real slip(unit = "m/s") = t*v "kinetic velocity of frame_b across the normal";
      Real N(unit = "N") = max(-(spring + damper), 0) "normal force";
      Real f_t(unit = "N") = -N*TripleS_Func(vAdhesion, vSlide, mu_A, mu_S, slip) "friction on frame_b";
      Real opening(unit = "m") = gap "negative in contact";
      Real potentialEnergy = 0.5*spring*opening;
      Signals.RealOutput lossPower "heat of damping and friction in W, for Thermal.PrescribedHeatFlow";
      Real filterPower = d_n*(n*v_el - approach)*(n*v_el) + damper*approach + d_t*(t*v_el - slip)*(t*v_el) - f_t*slip - lossPower;
    protected
      final parameter Boolean couples = damped and TD > 0;
      final parameter Real d_el = if couples then d + c*TD else 0;
      Boolean closed = opening < 0;
      Real n[2] = {cos(phi), sin(phi)}, t[2] = {-n[2], n[1]};
      Real v[2] = {frame_b.vx - frame_a.vx, frame_b.vy - frame_a.vy} "kinetic";
      Real v_el[2] = {der(frame_b.x) - der(frame_a.x), der(frame_b.y) - der(frame_a.y)} "elastic";
      Real spring = if closed then c*opening else 0, damper = if closed then d*approach else 0;
      Real creep = noEvent(if abs(slip) < 1e-6*vAdhesion then 1 else 0);
      Real slope = noEvent(if creep > 0 then 1.5*N*mu_A/vAdhesion else -f_t/(if creep > 0 then 1 else slip)) "f/kinetic, and its limit at standstill";
      Real d_n = if closed then d_el else 0, d_t = if closed and couples then slope else 0;
    equation
      assert(vSlide > vAdhesion, "the velocity of sliding must be greater than the velocity of adhesion");
      lossPower = damper*approach - f_t*slip;
      {frame_b.fx_el, frame_b.fy_el} = (spring - d_n*approach + d_n*(n*v_el))*n + (d_t*(t*v_el) - d_t*slip)*t;
      {frame_b.fx_ki, frame_b.fy_ki} = damper*n - f_t*t;
      {frame_a.fx_el, frame_a.fy_el} = -{frame_b.fx_el, frame_b.fy_el};
      {frame_a.fx_ki, frame_a.fy_ki} = -{frame_b.fx_ki, frame_b.fy_ki};
      {frame_a.t_el, frame_a.t_ki, frame_b.t_el, frame_b.t_ki} = zeros(4);
    end Touch;

    model WorldForce "Force and torque in the axes of the world"
      Frame frame "frame that is pushed";
      Signals.RealInput fx "force along x of the world", fy "force along y of the world", t "torque";
    equation
      {frame.fx_el, frame.fy_el, frame.t_el} = -{fx, fy, t};
      {frame.fx_ki, frame.fy_ki, frame.t_ki} = zeros(3);
    end WorldForce;

    model PositionSensor "Measures the pose of a frame"
      Frame frame "frame that is measured";
      Signals.RealOutput x "position along x", y "position along y", phi "angle";
    equation
      {x, y, phi} = {frame.x, frame.y, frame.phi};
      {frame.fx_el, frame.fy_el, frame.t_el, frame.fx_ki, frame.fy_ki, frame.t_ki} = zeros(6);
    end PositionSensor;

    model ForceSensor "Measures force and torque between two frames"
      Frame frame_a "frame", frame_b "frame";
      Real fx(unit = "N") "force handed on from frame_a to frame_b", fy(unit = "N") "force handed on from frame_a to frame_b";
      Real t(unit = "N.m") "torque handed on from frame_a to frame_b";
    equation
      {frame_b.x, frame_b.y, frame_b.phi} = {frame_a.x, frame_a.y, frame_a.phi};
      {frame_b.vx, frame_b.vy, frame_b.w} = {frame_a.vx, frame_a.vy, frame_a.w};
      {frame_a.fx_el, frame_a.fy_el, frame_a.t_el} = -{frame_b.fx_el, frame_b.fy_el, frame_b.t_el};
      {frame_a.fx_ki, frame_a.fy_ki, frame_a.t_ki} = -{frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki};
      {fx, fy, t} = {frame_a.fx_el + frame_a.fx_ki, frame_a.fy_el + frame_a.fy_ki, frame_a.t_el + frame_a.t_ki};
    end ForceSensor;
  end Planar;
end Dialectic;
