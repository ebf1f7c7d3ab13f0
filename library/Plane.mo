package Dialectic

  package Planar "parts that are Modelica text: prescribed motion, drag, springs, forces and sensors in chosen axes"

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

    model LineSpring "a spring and a damper along the line between two points of the plane"
      Frame frame_a, frame_b;
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant; 0 is classical mechanics";
      parameter Real c(unit = "N/m", min = 0) = 1 "stiffness";
      parameter Real d(unit = "N.s/m", min = 0) = 0 "damping";
      parameter Real l(unit = "m", min = 0) = 0 "length without force";
      final parameter Real d_el(unit = "N.s/m") = if TD > 0 then d + c*TD else 0 "between elastic and kinetic velocity, as of SpringDamper";
      Real r[2](each unit = "m") "from frame_a to frame_b", e[2] "its direction";
      Real length(unit = "m"), v(unit = "m/s") "rate of the length, kinetic", v_el(unit = "m/s") "and elastic";
      Real f(unit = "N") "force of the spring: positive pulls", f_d(unit = "N") "force of the damper", f_el(unit = "N") "elastic force";
      Real potentialEnergy(unit = "J"), lossPower(unit = "W"), filterPower(unit = "W") = d_el*(v_el - v)*v_el;
    equation
      r = {frame_b.x - frame_a.x, frame_b.y - frame_a.y};
      length = sqrt(r*r);
      e = r/noEvent(max(length, 1e-12));
      v = {frame_b.vx - frame_a.vx, frame_b.vy - frame_a.vy}*e;
      v_el = {der(frame_b.x) - der(frame_a.x), der(frame_b.y) - der(frame_a.y)}*e;
      f = c*(length - l);
      f_d = d*v;
      f_el = f - d_el*v + d_el*v_el;
      potentialEnergy = c*(length - l)^2/2;
      lossPower = f_d*v;
      {frame_b.fx_el, frame_b.fy_el} = f_el*e;
      {frame_b.fx_ki, frame_b.fy_ki} = f_d*e;
      frame_b.t_el = 0;
      frame_b.t_ki = 0;
      {frame_a.fx_el, frame_a.fy_el, frame_a.t_el} = -{frame_b.fx_el, frame_b.fy_el, frame_b.t_el};
      {frame_a.fx_ki, frame_a.fy_ki, frame_a.t_ki} = -{frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki};
    end LineSpring;

    model HeatingLineSpring "a spring and a damper along the line between two points of the plane; the loss of the damper leaves through a heat port"
      extends LineSpring;
      Thermal.HeatPort heatPort;
    equation
      heatPort.Q_flow = -lossPower;
    end HeatingLineSpring;

    model HeatingSpringDamper "springs and dampers in x, y and phi between two frames; the loss of the dampers leaves through a heat port"
      Frame frame_a, frame_b;
      Thermal.HeatPort heatPort;
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant; 0 is classical mechanics";
      parameter Real c_x(unit = "N/m", min = 0) = 1 "stiffness along x", c_y(unit = "N/m", min = 0) = 1 "stiffness along y";
      parameter Real c_phi(unit = "N.m/rad", min = 0) = 1 "rotational stiffness";
      parameter Real d_x(unit = "N.s/m", min = 0) = 0 "damping along x", d_y(unit = "N.s/m", min = 0) = 0 "damping along y";
      parameter Real d_phi(unit = "N.m.s/rad", min = 0) = 0 "rotational damping";
      parameter Real s_relx0(unit = "m") = 0 "distance without force along x", s_rely0(unit = "m") = 0 "distance without force along y";
      parameter Real phi_rel0(unit = "rad") = 0 "angle without torque";
      final parameter Real c[3] = {c_x, c_y, c_phi}, d[3] = {d_x, d_y, d_phi} "along x, y and phi";
      final parameter Real d_el[3] = if TD > 0 then d + TD*c else zeros(3) "between elastic and kinetic velocity, as of SpringDamper";
      Real ds[3] "elongations", v[3] "kinetic velocities of frame_b against frame_a", v_el[3] "and elastic";
      Real potentialEnergy(unit = "J"), lossPower(unit = "W"), filterPower(unit = "W") = d_el*((v_el - v).*v_el);
    equation
      ds = {frame_b.x - frame_a.x - s_relx0, frame_b.y - frame_a.y - s_rely0, frame_b.phi - frame_a.phi - phi_rel0};
      v = {frame_b.vx - frame_a.vx, frame_b.vy - frame_a.vy, frame_b.w - frame_a.w};
      v_el = {der(frame_b.x) - der(frame_a.x), der(frame_b.y) - der(frame_a.y), der(frame_b.phi) - der(frame_a.phi)};
      potentialEnergy = c*(ds.*ds)/2;
      lossPower = d*(v.*v);
      {frame_b.fx_el, frame_b.fy_el, frame_b.t_el} = c.*ds - d_el.*v + d_el.*v_el;
      {frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki} = d.*v;
      {frame_a.fx_el, frame_a.fy_el, frame_a.t_el} = -{frame_b.fx_el, frame_b.fy_el, frame_b.t_el};
      {frame_a.fx_ki, frame_a.fy_ki, frame_a.t_ki} = -{frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki};
      heatPort.Q_flow = -lossPower;
    end HeatingSpringDamper;

    model LinearDrag "resistance of a fluid at rest to motion and turning"
      Frame frame;
      parameter Real d(unit = "N.s/m", min = 0) = 0, d_phi(unit = "N.m.s/rad", min = 0) = 0;
      Real lossPower(unit = "W");
    equation
      lossPower = d*(frame.vx^2 + frame.vy^2) + d_phi*frame.w^2;
      {frame.fx_ki, frame.fy_ki, frame.t_ki} = {d*frame.vx, d*frame.vy, d_phi*frame.w};
      {frame.fx_el, frame.fy_el, frame.t_el} = zeros(3);
    end LinearDrag;

    model QuadraticDrag "resistance of a fluid at rest: k |v| against the velocity"
      Frame frame;
      parameter Real k(unit = "N.s2/m2", min = 0) "rho cw A / 2";
      Real speed(unit = "m/s"), lossPower(unit = "W");
    equation
      lossPower = k*speed^3;
      speed = sqrt(frame.vx^2 + frame.vy^2);
      {frame.fx_ki, frame.fy_ki, frame.t_ki} = {k*speed*frame.vx, k*speed*frame.vy, 0};
      {frame.fx_el, frame.fy_el, frame.t_el} = zeros(3);
    end QuadraticDrag;

    model Speed "a frame moves with velocities, filtered once"
      Frame frame;
      Signals.RealInput vx_ref "in m/s", vy_ref "in m/s", w_ref "in rad/s";
      parameter Real f_crit(unit = "Hz", min = 1e-60) = 50 "corner frequency of the filter";
      parameter Real x_start(unit = "m") = 0 "x at the start", y_start(unit = "m") = 0 "y at the start", phi_start(unit = "rad") = 0 "angle at the start";
      parameter Real vx_start(unit = "m/s") = 0, vy_start(unit = "m/s") = 0, w_start(unit = "rad/s") = 0 "velocities at the start";
      Real x(unit = "m", start = x_start), y(unit = "m", start = y_start), phi(unit = "rad", start = phi_start);
      Real vx(unit = "m/s", start = vx_start), vy(unit = "m/s", start = vy_start), w(unit = "rad/s", start = w_start);
    equation
      der({x, y, phi}) = {vx, vy, w};
      der({vx, vy, w}) = 2*3.141592653589793*f_crit*({vx_ref, vy_ref, w_ref} - {vx, vy, w});
      {frame.x, frame.y, frame.phi} = {x, y, phi};
      {frame.vx, frame.vy, frame.w} = {vx, vy, w};
    end Speed;

    model Accelerate "a frame moves with accelerations"
      Frame frame;
      Signals.RealInput ax "in m/s2", ay "in m/s2", z "in rad/s2";
      parameter Real x_start(unit = "m") = 0 "x at the start", y_start(unit = "m") = 0 "y at the start", phi_start(unit = "rad") = 0 "angle at the start";
      parameter Real vx_start(unit = "m/s") = 0, vy_start(unit = "m/s") = 0, w_start(unit = "rad/s") = 0 "velocities at the start";
      Real x(unit = "m", start = x_start), y(unit = "m", start = y_start), phi(unit = "rad", start = phi_start);
      Real vx(unit = "m/s", start = vx_start), vy(unit = "m/s", start = vy_start), w(unit = "rad/s", start = w_start);
    equation
      der({x, y, phi}) = {vx, vy, w};
      der({vx, vy, w}) = {ax, ay, z};
      {frame.x, frame.y, frame.phi} = {x, y, phi};
      {frame.vx, frame.vy, frame.w} = {vx, vy, w};
    end Accelerate;

    // ------------------------------------------------------------------ vectors in axes that are chosen

    type ResolveIn = enumeration(world "the axes of the world", frame "those of the frame itself, frame_a of two", given "those that phi_resolve tells");

    partial model Axes "axes in which a vector counts"
      parameter ResolveIn resolveIn = ResolveIn.world "in which axes";
      Signals.RealInput phi_resolve if resolveIn == ResolveIn.given "angle of the axes in rad, as a PositionSensor at the given frame has it";
    protected
      Signals.RealOutput angle "of the axes";
    equation
      connect(phi_resolve, angle);
      if resolveIn == ResolveIn.world then
        angle = 0;
      end if;
    end Axes;

    partial model AxesOfFrame "axes in which a vector at one frame counts"
      extends Axes;
      Frame frame;
    equation
      if resolveIn == ResolveIn.frame then
        angle = frame.phi;
      end if;
    end AxesOfFrame;

    partial model AxesOfTwo "axes in which a vector between two frames counts"
      extends Axes;
      Frame frame_a, frame_b;
    equation
      if resolveIn == ResolveIn.frame then
        angle = frame_a.phi;
      end if;
    end AxesOfTwo;

    model Force "force and torque on a frame, in the axes of the world, of the frame or given ones"
      extends AxesOfFrame;
      Signals.RealInput fx "in N", fy "in N", t "in N.m";
    equation
      {frame.fx_el, frame.fy_el} = -{cos(angle)*fx - sin(angle)*fy, sin(angle)*fx + cos(angle)*fy};
      frame.t_el = -t;
      {frame.fx_ki, frame.fy_ki, frame.t_ki} = zeros(3);
    end Force;

    model SpeedSensor "the kinetic velocities of a frame, in the axes of the world, of the frame or given ones"
      extends AxesOfFrame;
      Signals.RealOutput vx "in m/s", vy "in m/s", w "in rad/s";
    equation
      vx = cos(angle)*frame.vx + sin(angle)*frame.vy;
      vy = cos(angle)*frame.vy - sin(angle)*frame.vx;
      w = frame.w;
      {frame.fx_el, frame.fy_el, frame.t_el} = zeros(3);
      {frame.fx_ki, frame.fy_ki, frame.t_ki} = zeros(3);
    end SpeedSensor;

    model AccelerationSensor "the accelerations of a frame behind a filter, in the axes of the world, of the frame or given ones"
      extends AxesOfFrame;
      Signals.RealOutput ax "in m/s2", ay "in m/s2", z "in rad/s2";
      parameter Real T(unit = "s", min = 1e-60) = 1e-3 "time constant of the filter";
      parameter Real vx_start(unit = "m/s") = 0, vy_start(unit = "m/s") = 0, w_start(unit = "rad/s") = 0 "velocities at the start";
      Real vx(unit = "m/s", start = vx_start), vy(unit = "m/s", start = vy_start), w(unit = "rad/s", start = w_start) "velocities behind the filter";
      Real a[2](each unit = "m/s2") "in the axes of the world";
    equation
      a = {frame.vx - vx, frame.vy - vy}/T;
      der({vx, vy}) = a;
      der(w) = z;
      z = (frame.w - w)/T;
      ax = cos(angle)*a[1] + sin(angle)*a[2];
      ay = cos(angle)*a[2] - sin(angle)*a[1];
      {frame.fx_el, frame.fy_el, frame.t_el} = zeros(3);
      {frame.fx_ki, frame.fy_ki, frame.t_ki} = zeros(3);
    end AccelerationSensor;

    model RelativeSensor "pose of frame_b against frame_a and the velocity that frame_a sees, in its axes, those of the world or given ones"
      extends AxesOfTwo(resolveIn = ResolveIn.frame);
      Signals.RealOutput x "in m", y "in m", phi "in rad", vx "in m/s", vy "in m/s", w "in rad/s";
      Real r[2](each unit = "m"), u[2](each unit = "m/s"), T[2, 2] "from the axes of the world to those that are chosen";
    equation
      T = {{cos(angle), sin(angle)}, {-sin(angle), cos(angle)}};
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

    model FilteredForceSensor "force and torque handed on from frame_a to frame_b, behind a filter: they can be fed back; in the axes of the world, of frame_a or given ones"
      extends AxesOfTwo;
      Signals.RealOutput fx "in N", fy "in N", t "in N.m";
      parameter Real T(unit = "s", min = 1e-60) = 1e-3 "time constant of the filter";
      Real f[3](each start = 0) "in the axes of the world, behind the filter";
    equation
      {frame_b.x, frame_b.y, frame_b.phi} = {frame_a.x, frame_a.y, frame_a.phi};
      {frame_b.vx, frame_b.vy, frame_b.w} = {frame_a.vx, frame_a.vy, frame_a.w};
      {frame_a.fx_el, frame_a.fy_el, frame_a.t_el} + {frame_b.fx_el, frame_b.fy_el, frame_b.t_el} = zeros(3);
      {frame_a.fx_ki, frame_a.fy_ki, frame_a.t_ki} + {frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki} = zeros(3);
      T*der(f) = {frame_a.fx_el + frame_a.fx_ki, frame_a.fy_el + frame_a.fy_ki, frame_a.t_el + frame_a.t_ki} - f;
      fx = cos(angle)*f[1] + sin(angle)*f[2];
      fy = cos(angle)*f[2] - sin(angle)*f[1];
      t = f[3];
    end FilteredForceSensor;
  end Planar;
end Dialectic;
