package Dialectic

  package Translational "parts that are Modelica text: prescribed motion, sensors, drag, springs with laws of their own"

    model Position "a flange follows a position: filtered twice, so that velocity and acceleration exist"
      Flange flange;
      Signals.RealInput s_ref "position in m";
      parameter Real f_crit(unit = "Hz", min = 1e-60) = 50 "corner frequency of the filter";
      parameter Real s_start(unit = "m") = 0 "position at the start";
      final parameter Real w = 2*3.141592653589793*f_crit;
      Real s(unit = "m", start = s_start), v(unit = "m/s", start = 0);
    equation
      der(s) = v;
      der(v) = ((s_ref - s)*w - 1.3617*v)*(w/0.6180) "a Bessel filter of second order";
      flange.s = s;
      flange.v = v;
    end Position;

    model Speed "a flange moves with a velocity, filtered once"
      Flange flange;
      Signals.RealInput v_ref "velocity in m/s";
      parameter Real f_crit(unit = "Hz", min = 1e-60) = 50 "corner frequency of the filter";
      parameter Real s_start(unit = "m") = 0 "position at the start", v_start(unit = "m/s") = 0 "velocity at the start";
      Real s(unit = "m", start = s_start), v(unit = "m/s", start = v_start);
    equation
      der(s) = v;
      der(v) = 2*3.141592653589793*f_crit*(v_ref - v);
      flange.s = s;
      flange.v = v;
    end Speed;

    model Accelerate "a flange moves with an acceleration"
      Flange flange;
      Signals.RealInput a "acceleration in m/s2";
      parameter Real s_start(unit = "m") = 0 "position at the start", v_start(unit = "m/s") = 0 "velocity at the start";
      Real s(unit = "m", start = s_start), v(unit = "m/s", start = v_start);
    equation
      der(s) = v;
      der(v) = a;
      flange.s = s;
      flange.v = v;
    end Accelerate;

    model SpeedSensor "y is the kinetic velocity of the flange"
      Flange flange;
      Signals.RealOutput y "velocity in m/s";
    equation
      y = flange.v;
      flange.f_el = 0;
      flange.f_ki = 0;
    end SpeedSensor;

    model AccelerationSensor "y is the acceleration of the flange behind a filter"
      Flange flange;
      Signals.RealOutput y "acceleration in m/s2";
      parameter Real T(unit = "s", min = 1e-60) = 1e-3 "time constant of the filter";
      parameter Real v_start(unit = "m/s") = 0 "velocity at the start";
      Real v(unit = "m/s", start = v_start) "velocity behind the filter";
    equation
      der(v) = (flange.v - v)/T;
      y = (flange.v - v)/T;
      flange.f_el = 0;
      flange.f_ki = 0;
    end AccelerationSensor;

    model LinearDrag "resistance of a fluid at rest: f = d v"
      Flange flange;
      parameter Real d(unit = "N.s/m", min = 0);
      Real lossPower(unit = "W");
    equation
      flange.f_ki = d*flange.v;
      flange.f_el = 0;
      lossPower = flange.f_ki*flange.v;
    end LinearDrag;

    model QuadraticDrag "resistance of a fluid at rest: f = k v |v|, k = rho cw A / 2"
      Flange flange;
      parameter Real k(unit = "N.s2/m2", min = 0);
      Real lossPower(unit = "W");
    equation
      flange.f_ki = k*flange.v*smooth(1, noEvent(abs(flange.v)));
      flange.f_el = 0;
      lossPower = flange.f_ki*flange.v;
    end QuadraticDrag;

    model HeatingDamper "a linear damper whose loss leaves through a heat port"
      Flange flange_a, flange_b;
      Thermal.HeatPort heatPort;
      parameter Real d(unit = "N.s/m", min = 0);
      Real v_rel(unit = "m/s") "kinetic velocity of flange_b against flange_a", f(unit = "N");
    equation
      v_rel = flange_b.v - flange_a.v;
      f = d*v_rel;
      flange_b.f_ki = f;
      flange_a.f_ki = -f;
      flange_b.f_el = 0;
      flange_a.f_el = 0;
      heatPort.Q_flow = -f*v_rel;
    end HeatingDamper;

    model CubicSpring "a spring that becomes stiffer: f = c s + c3 s^3, with a damper"
      Flange flange_a, flange_b;
      parameter Real c(unit = "N/m") = 1 "stiffness about the rest position";
      parameter Real c3(unit = "N/m3") = 0;
      parameter Real d(unit = "N.s/m", min = 0) = 0;
      parameter Real s_rel0(unit = "m") = 0 "distance without force";
      Real s_rel(unit = "m"), f(unit = "N") "force of the spring";
      Real potentialEnergy(unit = "J"), lossPower(unit = "W");
    equation
      s_rel = flange_b.s - flange_a.s - s_rel0;
      f = c*s_rel + c3*s_rel^3;
      potentialEnergy = c*s_rel^2/2 + c3*s_rel^4/4;
      lossPower = d*(flange_b.v - flange_a.v)^2;
      flange_b.f_el = f;
      flange_b.f_ki = d*(flange_b.v - flange_a.v);
      flange_a.f_el = -flange_b.f_el;
      flange_a.f_ki = -flange_b.f_ki;
    end CubicSpring;
  end Translational;

  package Rotational "parts that are Modelica text: prescribed motion, sensors, drag, motors"

    model Position "a flange follows an angle: filtered twice, so that velocity and acceleration exist"
      Flange flange;
      Signals.RealInput phi_ref "angle in rad";
      parameter Real f_crit(unit = "Hz", min = 1e-60) = 50 "corner frequency of the filter";
      parameter Real phi_start(unit = "rad") = 0 "angle at the start";
      final parameter Real w_crit = 2*3.141592653589793*f_crit;
      Real phi(unit = "rad", start = phi_start), w(unit = "rad/s", start = 0);
    equation
      der(phi) = w;
      der(w) = ((phi_ref - phi)*w_crit - 1.3617*w)*(w_crit/0.6180) "a Bessel filter of second order";
      flange.phi = phi;
      flange.w = w;
    end Position;

    model Speed "a flange turns with an angular velocity, filtered once"
      Flange flange;
      Signals.RealInput w_ref "angular velocity in rad/s";
      parameter Real f_crit(unit = "Hz", min = 1e-60) = 50 "corner frequency of the filter";
      parameter Real phi_start(unit = "rad") = 0 "angle at the start", w_start(unit = "rad/s") = 0 "angular velocity at the start";
      Real phi(unit = "rad", start = phi_start), w(unit = "rad/s", start = w_start);
    equation
      der(phi) = w;
      der(w) = 2*3.141592653589793*f_crit*(w_ref - w);
      flange.phi = phi;
      flange.w = w;
    end Speed;

    model SpeedSensor "y is the kinetic angular velocity of the flange"
      Flange flange;
      Signals.RealOutput y "angular velocity in rad/s";
    equation
      y = flange.w;
      flange.tau_el = 0;
      flange.tau_ki = 0;
    end SpeedSensor;

    model Accelerate "a flange turns with an angular acceleration"
      Flange flange;
      Signals.RealInput a "angular acceleration in rad/s2";
      parameter Real phi_start(unit = "rad") = 0 "angle at the start", w_start(unit = "rad/s") = 0 "angular velocity at the start";
      Real phi(unit = "rad", start = phi_start), w(unit = "rad/s", start = w_start);
    equation
      der(phi) = w;
      der(w) = a;
      flange.phi = phi;
      flange.w = w;
    end Accelerate;

    model AccelerationSensor "y is the angular acceleration of the flange behind a filter"
      Flange flange;
      Signals.RealOutput y "angular acceleration in rad/s2";
      parameter Real T(unit = "s", min = 1e-60) = 1e-3 "time constant of the filter";
      parameter Real w_start(unit = "rad/s") = 0 "angular velocity at the start";
      Real w(unit = "rad/s", start = w_start) "angular velocity behind the filter";
    equation
      der(w) = (flange.w - w)/T;
      y = (flange.w - w)/T;
      flange.tau_el = 0;
      flange.tau_ki = 0;
    end AccelerationSensor;

    model LinearDrag "resistance of a fluid: tau = d w"
      Flange flange;
      parameter Real d(unit = "N.m.s/rad", min = 0);
    equation
      flange.tau_ki = d*flange.w;
      flange.tau_el = 0;
    end LinearDrag;

    model HeatingDamper "a linear damper whose loss leaves through a heat port"
      Flange flange_a, flange_b;
      Thermal.HeatPort heatPort;
      parameter Real d(unit = "N.m.s/rad", min = 0);
      Real w_rel(unit = "rad/s") "kinetic velocity of flange_b against flange_a", tau(unit = "N.m");
    equation
      w_rel = flange_b.w - flange_a.w;
      tau = d*w_rel;
      flange_b.tau_ki = tau;
      flange_a.tau_ki = -tau;
      flange_b.tau_el = 0;
      flange_a.tau_el = 0;
      heatPort.Q_flow = -tau*w_rel;
    end HeatingDamper;

    model QuadraticDrag "resistance of a fluid: tau = k w |w|"
      Flange flange;
      parameter Real k(unit = "N.m.s2/rad2", min = 0);
      Real lossPower(unit = "W");
    equation
      flange.tau_ki = k*flange.w*smooth(1, noEvent(abs(flange.w)));
      flange.tau_el = 0;
      lossPower = flange.tau_ki*flange.w;
    end QuadraticDrag;

    model DCMotor "a motor with permanent magnets, driven by a voltage: L der(i) = u - R i - k w, tau = k i"
      Flange flange "the shaft; connect an Inertia to it";
      Signals.RealInput u "voltage in V";
      Signals.RealOutput i "current in A";
      parameter Real R(unit = "Ohm", min = 1e-60) = 1 "resistance of the armature";
      parameter Real L(unit = "H", min = 1e-60) = 1e-3 "inductance of the armature";
      parameter Real k(unit = "N.m/A") = 0.1 "torque per current, and voltage per angular velocity";
      parameter Real i_start(unit = "A") = 0 "current at the start";
      Real current(unit = "A", start = i_start);
      Real loss(unit = "W") "heat of the armature";
    equation
      L*der(current) = u - R*current - k*flange.w;
      i = current;
      loss = R*current^2;
      flange.tau_el = -k*current;
      flange.tau_ki = 0;
    end DCMotor;
  end Rotational;

  package Planar "parts that are Modelica text"

    model SpeedSensor "the kinetic velocities of a frame"
      Frame frame;
      Signals.RealOutput vx "in m/s", vy "in m/s", w "in rad/s";
    equation
      vx = frame.vx;
      vy = frame.vy;
      w = frame.w;
      {frame.fx_el, frame.fy_el, frame.t_el} = zeros(3);
      {frame.fx_ki, frame.fy_ki, frame.t_ki} = zeros(3);
    end SpeedSensor;

    model Position "a frame follows a pose: filtered twice, so that velocity and acceleration exist"
      Frame frame;
      Signals.RealInput x_ref "in m", y_ref "in m", phi_ref "in rad";
      parameter Real f_crit(unit = "Hz", min = 1e-60) = 50 "corner frequency of the filter";
      parameter Real x_start(unit = "m") = 0 "x at the start", y_start(unit = "m") = 0 "y at the start", phi_start(unit = "rad") = 0 "angle at the start";
      final parameter Real w_crit = 2*3.141592653589793*f_crit;
      Real x(unit = "m", start = x_start), y(unit = "m", start = y_start), phi(unit = "rad", start = phi_start);
      Real vx(unit = "m/s", start = 0), vy(unit = "m/s", start = 0), w(unit = "rad/s", start = 0);
    equation
      der({x, y, phi}) = {vx, vy, w};
      der({vx, vy, w}) = (({x_ref, y_ref, phi_ref} - {x, y, phi})*w_crit - 1.3617*{vx, vy, w})*(w_crit/0.6180) "Bessel filters of second order";
      {frame.x, frame.y, frame.phi} = {x, y, phi};
      {frame.vx, frame.vy, frame.w} = {vx, vy, w};
    end Position;

    model RelativeSensor "pose and kinetic velocity of frame_b against frame_a, in the axes of frame_a"
      Frame frame_a, frame_b;
      Signals.RealOutput x "in m", y "in m", phi "in rad", vx "in m/s", vy "in m/s", w "in rad/s";
      Real r[2](each unit = "m"), u[2](each unit = "m/s"), T[2, 2] "from the axes of the world to those of frame_a";
    equation
      T = {{cos(frame_a.phi), sin(frame_a.phi)}, {-sin(frame_a.phi), cos(frame_a.phi)}};
      r = {frame_b.x - frame_a.x, frame_b.y - frame_a.y};
      u = {frame_b.vx - frame_a.vx + frame_a.w*r[2], frame_b.vy - frame_a.vy - frame_a.w*r[1]};
      {x, y} = T*r;
      {vx, vy} = T*u;
      phi = frame_b.phi - frame_a.phi;
      w = frame_b.w - frame_a.w;
      {frame_a.fx_el, frame_a.fy_el, frame_a.t_el} = zeros(3);
      {frame_a.fx_ki, frame_a.fy_ki, frame_a.t_ki} = zeros(3);
      {frame_b.fx_el, frame_b.fy_el, frame_b.t_el} = zeros(3);
      {frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki} = zeros(3);
    end RelativeSensor;

    model ResolvedForce "a force in axes that are turned by phi_resolve, the angle of a given frame: connect a PositionSensor of it"
      Frame frame "what it acts on";
      Signals.RealInput fx "in N", fy "in N", t "in N.m", phi_resolve "angle of the axes in rad";
    equation
      {frame.fx_el, frame.fy_el} = -{cos(phi_resolve)*fx - sin(phi_resolve)*fy, sin(phi_resolve)*fx + cos(phi_resolve)*fy};
      frame.t_el = -t;
      {frame.fx_ki, frame.fy_ki, frame.t_ki} = zeros(3);
    end ResolvedForce;

    partial model Wheel "a wheel seen from above that rolls along the x axis of its frame, with dry friction along and across"
      Frame frame;
      Signals.RealInput tau "torque of the drive in N.m";
      Signals.RealOutput w "angular velocity of the wheel in rad/s";
      parameter Real radius(unit = "m", min = 1e-60) "radius", J(unit = "kg.m2", min = 1e-60) "moment of inertia about the axle";
      parameter Real N(unit = "N", min = 0) "load of the wheel";
      parameter Real mu_A(min = 0) = 1 "friction coefficient at adhesion", mu_S(min = 0) = 0.7 "friction coefficient at sliding";
      parameter Real w_start(unit = "rad/s") = 0 "angular velocity at the start";
      Real spin(unit = "rad/s", start = w_start) "angular velocity";
      Real e[2] "direction in which it rolls", slip[2](each unit = "m/s") "velocity against the ground, along and across", v(unit = "m/s") "its amount";
      Real f[2](each unit = "N") "force of the ground, along and across", k(unit = "N.s/m") "force over slip: the triple S-function";
      Real vA(unit = "m/s") "slip of highest friction", vS(unit = "m/s") "slip where sliding is reached", part "of the way between these, -1 to 1";
    equation
      e = {cos(frame.phi), sin(frame.phi)};
      slip = {frame.vx*e[1] + frame.vy*e[2] - radius*spin, frame.vy*e[1] - frame.vx*e[2]};
      v = sqrt(slip*slip);
      part = noEvent(min(max((2*v - vA - vS)/(vS - vA), -1), 1));
      k = N*noEvent(if v < vA then mu_A*(3 - (v/vA)^2)/(2*vA) else ((mu_A + mu_S)/2 - (mu_A - mu_S)/4*part*(3 - part^2))/v);
      f = -k*slip;
      J*der(spin) = tau - radius*f[1];
      w = spin;
      {frame.fx_ki, frame.fy_ki} = -{f[1]*e[1] - f[2]*e[2], f[1]*e[2] + f[2]*e[1]};
      frame.t_ki = 0;
      {frame.fx_el, frame.fy_el, frame.t_el} = zeros(3);
    end Wheel;

    model DryFrictionWheel "a wheel seen from above whose friction depends on the velocity against the ground"
      extends Wheel;
      parameter Real vAdhesion(unit = "m/s", min = 1e-60) = 0.1 "slip of highest friction", vSlide(unit = "m/s") = 0.5 "slip where sliding is reached";
    equation
      vA = vAdhesion;
      vS = vSlide;
    end DryFrictionWheel;

    model SlipWheel "a wheel seen from above whose friction depends on the velocity against the ground over that of its rim"
      extends Wheel;
      parameter Real sAdhesion(min = 1e-60) = 0.1 "relative slip of highest friction", sSlide = 0.5 "relative slip where sliding is reached";
      parameter Real vMin(unit = "m/s", min = 1e-60) = 1 "a slower rim counts as this";
      Real rim(unit = "m/s") "velocity of the rim";
    equation
      rim = noEvent(max(radius*abs(spin), vMin));
      vA = sAdhesion*rim;
      vS = sSlide*rim;
    end SlipWheel;

    model LineSpring "a spring and a damper along the line between two points of the plane"
      Frame frame_a, frame_b;
      parameter Real c(unit = "N/m", min = 0) = 1 "stiffness";
      parameter Real d(unit = "N.s/m", min = 0) = 0 "damping";
      parameter Real l(unit = "m", min = 0) = 0 "length without force";
      Real r[2](each unit = "m") "from frame_a to frame_b", e[2] "its direction";
      Real length(unit = "m"), v(unit = "m/s") "rate of the length, kinetic";
      Real f(unit = "N") "force of the spring: positive pulls", f_d(unit = "N") "force of the damper";
    equation
      r = {frame_b.x - frame_a.x, frame_b.y - frame_a.y};
      length = sqrt(r*r);
      e = r/noEvent(max(length, 1e-12));
      v = {frame_b.vx - frame_a.vx, frame_b.vy - frame_a.vy}*e;
      f = c*(length - l);
      f_d = d*v;
      {frame_b.fx_el, frame_b.fy_el} = f*e;
      {frame_b.fx_ki, frame_b.fy_ki} = f_d*e;
      frame_b.t_el = 0;
      frame_b.t_ki = 0;
      {frame_a.fx_el, frame_a.fy_el, frame_a.t_el} = -{frame_b.fx_el, frame_b.fy_el, frame_b.t_el};
      {frame_a.fx_ki, frame_a.fy_ki, frame_a.t_ki} = -{frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki};
    end LineSpring;

    model LinearDrag "resistance of a fluid at rest to motion and turning"
      Frame frame;
      parameter Real d(unit = "N.s/m", min = 0) = 0, d_phi(unit = "N.m.s/rad", min = 0) = 0;
    equation
      {frame.fx_ki, frame.fy_ki, frame.t_ki} = {d*frame.vx, d*frame.vy, d_phi*frame.w};
      {frame.fx_el, frame.fy_el, frame.t_el} = zeros(3);
    end LinearDrag;

    model QuadraticDrag "resistance of a fluid at rest: k |v| against the velocity"
      Frame frame;
      parameter Real k(unit = "N.s2/m2", min = 0) "rho cw A / 2";
      Real speed(unit = "m/s");
    equation
      speed = sqrt(frame.vx^2 + frame.vy^2);
      {frame.fx_ki, frame.fy_ki, frame.t_ki} = {k*speed*frame.vx, k*speed*frame.vy, 0};
      {frame.fx_el, frame.fy_el, frame.t_el} = zeros(3);
    end QuadraticDrag;

    model BodyForce "a force in the axes of the frame it acts on"
      Frame frame;
      Signals.RealInput fx "in N", fy "in N", t "in N.m";
      Real R[2, 2];
    equation
      R = {{cos(frame.phi), -sin(frame.phi)}, {sin(frame.phi), cos(frame.phi)}};
      {frame.fx_el, frame.fy_el} = -R*{fx, fy};
      frame.t_el = -t;
      {frame.fx_ki, frame.fy_ki, frame.t_ki} = zeros(3);
    end BodyForce;
  end Planar;
end Dialectic;
