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

    partial model RigidLink "frame_b stands at r0 from frame_a and turns with it"
      Frame frame_a "frame", frame_b "frame";
    protected
      Real r0[2](each unit = "m");
    equation
      {frame_b.x, frame_b.y} = {frame_a.x, frame_a.y} + r0;
      frame_b.phi = frame_a.phi;
      frame_b.w = frame_a.w;
      {frame_a.fx_el, frame_a.fy_el} = -{frame_b.fx_el, frame_b.fy_el};
      {frame_a.fx_ki, frame_a.fy_ki} = -{frame_b.fx_ki, frame_b.fy_ki};
      frame_a.t_el + (frame_b.t_el + r0[1]*frame_b.fy_el - r0[2]*frame_b.fx_el) = 0;
      frame_a.t_ki + (frame_b.t_ki + r0[1]*frame_b.fy_ki - r0[2]*frame_b.fx_ki) = 0;
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
  end Planar;
end Dialectic;
