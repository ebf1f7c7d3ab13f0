package Dialectic

  function tableEnergy "integral of a table from 0 to x: linear in between and beyond"
    input Real table[:, 2], x;
    output Real y;
  protected
    Integer n = size(table, 1);
    Real low, high, slope;
  algorithm
    y := 0;
    for i in 1:n - 1 loop
      slope := (table[i + 1, 2] - table[i, 2])/(table[i + 1, 1] - table[i, 1]);
      low := noEvent(min(max(0, if i == 1 then -1e60 else table[i, 1]), if i == n - 1 then 1e60 else table[i + 1, 1]));
      high := noEvent(min(max(x, if i == 1 then -1e60 else table[i, 1]), if i == n - 1 then 1e60 else table[i + 1, 1]));
      y := y + (high - low)*(table[i, 2] + slope*((low + high)/2 - table[i, 1]));
    end for;
  end tableEnergy;

  function tableSlope "slope of a table at x: linear in between and beyond"
    input Real table[:, 2], x;
    output Real y;
  algorithm
    y := (table[2, 2] - table[1, 2])/(table[2, 1] - table[1, 1]);
    for i in 2:size(table, 1) - 1 loop
      y := noEvent(if x > table[i, 1] then (table[i + 1, 2] - table[i, 2])/(table[i + 1, 1] - table[i, 1]) else y);
    end for;
  end tableSlope;

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
      Real v_rel(unit = "m/s") "kinetic velocity of flange_b against flange_a", f(unit = "N"), lossPower(unit = "W");
    equation
      v_rel = flange_b.v - flange_a.v;
      lossPower = f*v_rel;
      f = d*v_rel;
      flange_b.f_ki = f;
      flange_a.f_ki = -f;
      flange_b.f_el = 0;
      flange_a.f_el = 0;
      heatPort.Q_flow = -lossPower;
    end HeatingDamper;

    // The slope of the law is the stiffness of SpringDamper here: with d_el = d + slope TD no eigenvalue goes beyond 1/TD.
    partial model SpringLaw "a spring with a law of its own and a damper"
      Flange flange_a, flange_b;
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant; 0 is classical mechanics";
      parameter Real d(unit = "N.s/m", min = 0) = 0 "damping";
      parameter Real s_rel0(unit = "m") = 0 "distance without force";
      Real s_rel(unit = "m") "elongation", f(unit = "N") "force of the spring", slope(unit = "N/m") "stiffness at this elongation";
      Real v_rel(unit = "m/s") "kinetic velocity of flange_b against flange_a", v_el(unit = "m/s") "and elastic", d_el(unit = "N.s/m") "between the two";
      Real lossPower(unit = "W") = d*v_rel^2, filterPower(unit = "W") = d_el*(v_el - v_rel)*v_el;
    equation
      s_rel = flange_b.s - flange_a.s - s_rel0;
      v_rel = flange_b.v - flange_a.v;
      v_el = der(flange_b.s) - der(flange_a.s);
      d_el = if TD > 0 then d + TD*noEvent(max(slope, 0)) else 0;
      flange_b.f_el = f - d_el*v_rel + d_el*v_el;
      flange_b.f_ki = d*v_rel;
      flange_a.f_el = -flange_b.f_el;
      flange_a.f_ki = -flange_b.f_ki;
    end SpringLaw;

    model CubicSpring "a spring that becomes stiffer: f = c s + c3 s^3, with a damper"
      extends SpringLaw;
      parameter Real c(unit = "N/m") = 1 "stiffness about the rest position";
      parameter Real c3(unit = "N/m3") = 0 "what the cube adds";
      Real potentialEnergy(unit = "J") = c*s_rel^2/2 + c3*s_rel^4/4;
    equation
      f = c*s_rel + c3*s_rel^3;
      slope = c + 3*c3*s_rel^2;
    end CubicSpring;

    partial model HeatingCompliance "spring and damper in parallel, while they act; the loss of the damper leaves through a heat port"
      Flange flange_a, flange_b;
      Thermal.HeatPort heatPort;
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant; 0 is classical mechanics";
      parameter Real c(unit = "N/m", min = 0) "stiffness", d(unit = "N.s/m", min = 0) = 0 "damping";
      parameter Real s_rel0(unit = "m") = 0 "distance without force";
      final parameter Real d_el(unit = "N.s/m") = if TD > 0 then d + c*TD else 0 "between elastic and kinetic velocity, as of SpringDamper";
      Real s_rel(unit = "m"), v_rel(unit = "m/s") "kinetic velocity of flange_b against flange_a", v_el(unit = "m/s") "and elastic";
      Real acts "1 while it acts, else 0";
      Real potentialEnergy(unit = "J"), lossPower(unit = "W"), filterPower(unit = "W") = acts*d_el*(v_el - v_rel)*v_el;
    equation
      s_rel = flange_b.s - flange_a.s - s_rel0;
      v_rel = flange_b.v - flange_a.v;
      v_el = der(flange_b.s) - der(flange_a.s);
      flange_b.f_el = acts*(c*s_rel - d_el*v_rel) + acts*d_el*v_el;
      flange_b.f_ki = acts*d*v_rel;
      flange_a.f_el = -flange_b.f_el;
      flange_a.f_ki = -flange_b.f_ki;
      potentialEnergy = acts*c*s_rel^2/2;
      lossPower = acts*d*v_rel^2;
      heatPort.Q_flow = -lossPower;
    end HeatingCompliance;

    model HeatingSpringDamper "a spring and a damper in parallel; the loss of the damper leaves through a heat port"
      extends HeatingCompliance;
    equation
      acts = 1;
    end HeatingSpringDamper;

    model HeatingElastoGap "a spring and a damper that act while flange_b is closer to flange_a than s_rel0; the loss of the damper leaves through a heat port"
      extends HeatingCompliance;
    equation
      acts = if s_rel < 0 then 1 else 0;
    end HeatingElastoGap;

    model HeatingFriction "dry friction, a smooth function of the velocity, whose loss leaves through a heat port"
      Flange flange_a, flange_b;
      Thermal.HeatPort heatPort;
      parameter Real f_Coulomb(unit = "N", min = 0) "friction while it slides", f_prop(unit = "N.s/m", min = 0) = 0 "more with the velocity";
      parameter Real v_small(unit = "m/s", min = 1e-60) = 1e-3 "velocity where two thirds of it are reached";
      Real v_rel(unit = "m/s") "kinetic velocity of flange_b against flange_a", f(unit = "N") "against the motion", lossPower(unit = "W");
    equation
      v_rel = flange_b.v - flange_a.v;
      f = f_Coulomb*v_rel/sqrt(v_rel^2 + v_small^2) + f_prop*v_rel;
      flange_b.f_ki = f;
      flange_a.f_ki = -f;
      flange_b.f_el = 0;
      flange_a.f_el = 0;
      lossPower = f*v_rel;
      heatPort.Q_flow = -lossPower;
    end HeatingFriction;

    model TableSpring "a spring whose force is a table over its elongation, linear in between and beyond, with a damper"
      extends SpringLaw;
      parameter Real table[:, :] "rows: elongation in m, force in N";
      Real potentialEnergy(unit = "J") = tableEnergy(table, s_rel);
    protected
      parameter Signals.Table1D law = Signals.Table1D("NoName", "NoName", table, {2}, Signals.Smoothness.LinearSegments, Signals.Extrapolation.LastTwoPoints, ",", 0);
    equation
      f = Signals.value1D(law, 1, s_rel);
      slope = tableSlope(table, s_rel);
    end TableSpring;

    model FilteredForceSensor "y is the force handed on from flange_a to flange_b, behind a filter: it can be fed back"
      Flange flange_a, flange_b;
      Signals.RealOutput y "force in N";
      parameter Real T(unit = "s", min = 1e-60) = 1e-3 "time constant of the filter";
      parameter Real f_start(unit = "N") = 0 "force at the start";
      Real f(unit = "N", start = f_start) "force behind the filter";
    equation
      flange_b.s = flange_a.s;
      flange_b.v = flange_a.v;
      flange_a.f_el + flange_b.f_el = 0;
      flange_a.f_ki + flange_b.f_ki = 0;
      T*der(f) = flange_a.f_el + flange_a.f_ki - f;
      y = f;
    end FilteredForceSensor;
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
      Real lossPower(unit = "W");
    equation
      flange.tau_ki = d*flange.w;
      flange.tau_el = 0;
      lossPower = flange.tau_ki*flange.w;
    end LinearDrag;

    model HeatingDamper "a linear damper whose loss leaves through a heat port"
      Flange flange_a, flange_b;
      Thermal.HeatPort heatPort;
      parameter Real d(unit = "N.m.s/rad", min = 0);
      Real w_rel(unit = "rad/s") "kinetic velocity of flange_b against flange_a", tau(unit = "N.m"), lossPower(unit = "W");
    equation
      w_rel = flange_b.w - flange_a.w;
      lossPower = tau*w_rel;
      tau = d*w_rel;
      flange_b.tau_ki = tau;
      flange_a.tau_ki = -tau;
      flange_b.tau_el = 0;
      flange_a.tau_el = 0;
      heatPort.Q_flow = -lossPower;
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

    partial model HeatingCompliance "spring and damper in parallel, while they act; the loss of the damper leaves through a heat port"
      Flange flange_a, flange_b;
      Thermal.HeatPort heatPort;
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant; 0 is classical mechanics";
      parameter Real c(unit = "N.m/rad", min = 0) "stiffness", d(unit = "N.m.s/rad", min = 0) = 0 "damping";
      parameter Real phi_rel0(unit = "rad") = 0 "angle without force";
      final parameter Real d_el(unit = "N.m.s/rad") = if TD > 0 then d + c*TD else 0 "between elastic and kinetic velocity, as of SpringDamper";
      Real phi_rel(unit = "rad"), w_rel(unit = "rad/s") "kinetic velocity of flange_b against flange_a", w_el(unit = "rad/s") "and elastic";
      Real acts "1 while it acts, else 0";
      Real potentialEnergy(unit = "J"), lossPower(unit = "W"), filterPower(unit = "W") = acts*d_el*(w_el - w_rel)*w_el;
    equation
      phi_rel = flange_b.phi - flange_a.phi - phi_rel0;
      w_rel = flange_b.w - flange_a.w;
      w_el = der(flange_b.phi) - der(flange_a.phi);
      flange_b.tau_el = acts*(c*phi_rel - d_el*w_rel) + acts*d_el*w_el;
      flange_b.tau_ki = acts*d*w_rel;
      flange_a.tau_el = -flange_b.tau_el;
      flange_a.tau_ki = -flange_b.tau_ki;
      potentialEnergy = acts*c*phi_rel^2/2;
      lossPower = acts*d*w_rel^2;
      heatPort.Q_flow = -lossPower;
    end HeatingCompliance;

    model HeatingSpringDamper "a spring and a damper in parallel; the loss of the damper leaves through a heat port"
      extends HeatingCompliance;
    equation
      acts = 1;
    end HeatingSpringDamper;

    model HeatingElastoGap "a spring and a damper that act while flange_b is closer to flange_a than phi_rel0; the loss of the damper leaves through a heat port"
      extends HeatingCompliance;
    equation
      acts = if phi_rel < 0 then 1 else 0;
    end HeatingElastoGap;

    model HeatingFriction "dry friction, a smooth function of the velocity, whose loss leaves through a heat port"
      Flange flange_a, flange_b;
      Thermal.HeatPort heatPort;
      parameter Real tau_Coulomb(unit = "N.m", min = 0) "friction while it slides", tau_prop(unit = "N.m.s/rad", min = 0) = 0 "more with the velocity";
      parameter Real w_small(unit = "rad/s", min = 1e-60) = 1e-3 "velocity where two thirds of it are reached";
      Real w_rel(unit = "rad/s") "kinetic velocity of flange_b against flange_a", tau(unit = "N.m") "against the motion", lossPower(unit = "W");
    equation
      w_rel = flange_b.w - flange_a.w;
      tau = tau_Coulomb*w_rel/sqrt(w_rel^2 + w_small^2) + tau_prop*w_rel;
      flange_b.tau_ki = tau;
      flange_a.tau_ki = -tau;
      flange_b.tau_el = 0;
      flange_a.tau_el = 0;
      lossPower = tau*w_rel;
      heatPort.Q_flow = -lossPower;
    end HeatingFriction;

    // The slope of the law is the stiffness of SpringDamper here: with d_el = d + slope TD no eigenvalue goes beyond 1/TD.
    partial model SpringLaw "a spring with a law of its own and a damper"
      Flange flange_a, flange_b;
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant; 0 is classical mechanics";
      parameter Real d(unit = "N.m.s/rad", min = 0) = 0 "damping";
      parameter Real phi_rel0(unit = "rad") = 0 "angle without torque";
      Real phi_rel(unit = "rad") "elongation", tau(unit = "N.m") "torque of the spring", slope(unit = "N.m/rad") "stiffness at this elongation";
      Real w_rel(unit = "rad/s") "kinetic velocity of flange_b against flange_a", w_el(unit = "rad/s") "and elastic", d_el(unit = "N.m.s/rad") "between the two";
      Real lossPower(unit = "W") = d*w_rel^2, filterPower(unit = "W") = d_el*(w_el - w_rel)*w_el;
    equation
      phi_rel = flange_b.phi - flange_a.phi - phi_rel0;
      w_rel = flange_b.w - flange_a.w;
      w_el = der(flange_b.phi) - der(flange_a.phi);
      d_el = if TD > 0 then d + TD*noEvent(max(slope, 0)) else 0;
      flange_b.tau_el = tau - d_el*w_rel + d_el*w_el;
      flange_b.tau_ki = d*w_rel;
      flange_a.tau_el = -flange_b.tau_el;
      flange_a.tau_ki = -flange_b.tau_ki;
    end SpringLaw;

    model TableSpring "a spring whose torque is a table over its elongation, linear in between and beyond, with a damper"
      extends SpringLaw;
      parameter Real table[:, :] "rows: elongation in rad, torque in N.m";
      Real potentialEnergy(unit = "J") = tableEnergy(table, phi_rel);
    protected
      parameter Signals.Table1D law = Signals.Table1D("NoName", "NoName", table, {2}, Signals.Smoothness.LinearSegments, Signals.Extrapolation.LastTwoPoints, ",", 0);
    equation
      tau = Signals.value1D(law, 1, phi_rel);
      slope = tableSlope(table, phi_rel);
    end TableSpring;

    model FilteredTorqueSensor "y is the torque handed on from flange_a to flange_b, behind a filter: it can be fed back"
      Flange flange_a, flange_b;
      Signals.RealOutput y "torque in N.m";
      parameter Real T(unit = "s", min = 1e-60) = 1e-3 "time constant of the filter";
      parameter Real tau_start(unit = "N.m") = 0 "torque at the start";
      Real tau(unit = "N.m", start = tau_start) "torque behind the filter";
    equation
      flange_b.phi = flange_a.phi;
      flange_b.w = flange_a.w;
      flange_a.tau_el + flange_b.tau_el = 0;
      flange_a.tau_ki + flange_b.tau_ki = 0;
      T*der(tau) = flange_a.tau_el + flange_a.tau_ki - tau;
      y = tau;
    end FilteredTorqueSensor;

    model CubicSpring "a spring that becomes stiffer: tau = c phi + c3 phi^3, with a damper"
      extends SpringLaw;
      parameter Real c(unit = "N.m/rad") = 1 "stiffness about the rest position";
      parameter Real c3(unit = "N.m/rad3") = 0 "what the cube adds";
      Real potentialEnergy(unit = "J") = c*phi_rel^2/2 + c3*phi_rel^4/4;
    equation
      tau = c*phi_rel + c3*phi_rel^3;
      slope = c + 3*c3*phi_rel^2;
    end CubicSpring;

    model GearBox "shafts and teeth of a gear box without its losses, and what its losses amount to: a part of LossyGear"
      Flange support "the housing", flange_a "shaft a", flange_b "shaft b";
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant";
      parameter Real ratio = 1 "phi_b over phi_a";
      parameter Real lossTable[:, 5] "see LossyGear";
      parameter Real T(unit = "s", min = 1e-60) = 1e-3 "time constant with which the losses follow the torque";
      Signals.RealOutput forward "torque against turning forward, in N.m", backward "torque against turning backward, in N.m";
      Real phi(unit = "rad", start = 0) "angle of shaft a against the housing", w(unit = "rad/s", start = 0) "its kinetic velocity", w_el(unit = "rad/s") "and elastic";
      Real tau_teeth(unit = "N.m", start = 0) "torque that the teeth hand on, at shaft a, behind a filter";
      Real driving(unit = "N.m") "loss where shaft a drives", driven(unit = "N.m") "loss where shaft b drives";
      Real filterPower(unit = "W") = (w_el - w)*(flange_a.tau_el + ratio*flange_b.tau_el);
    protected
      parameter Signals.Table1D losses = Signals.Table1D("NoName", "NoName", lossTable, {2, 3, 4, 5}, Signals.Smoothness.LinearSegments, Signals.Extrapolation.HoldLastPoint, ",", 0);
      Real speed(unit = "rad/s") = noEvent(abs(w)), load(unit = "N.m") = noEvent(abs(tau_teeth));
    equation
      flange_a.phi = support.phi + phi;
      flange_a.w = support.w + w;
      flange_b.phi = support.phi + ratio*phi;
      flange_b.w = support.w + ratio*w;
      der(phi) = w_el;
      TD*der(w) = w_el - w;
      T*der(tau_teeth) = -ratio*(flange_b.tau_el + flange_b.tau_ki) - tau_teeth;
      driving = (1/Signals.value1D(losses, 1, speed) - 1)*load + Signals.value1D(losses, 3, speed);
      driven = (1 - Signals.value1D(losses, 2, speed))*load + Signals.value1D(losses, 4, speed);
      forward = noEvent(if tau_teeth > 0 then driving else driven);
      backward = noEvent(if tau_teeth < 0 then driving else driven);
      flange_a.tau_el + flange_a.tau_ki + ratio*(flange_b.tau_el + flange_b.tau_ki) = 0;
      flange_a.tau_el + flange_b.tau_el + support.tau_el = 0;
      flange_a.tau_ki + flange_b.tau_ki + support.tau_ki = 0;
    end GearBox;

    model LossyGear "gear box with the efficiency of its teeth and the friction of its bearings, which sticks: phi_b = ratio phi_a, both against the housing; it locks itself where eta_mf2 <= 0"
      Flange support "the housing: connect a Fixed, or what carries it";
      Flange flange_a "shaft a: it turns in the housing, no Joint is needed beside it", flange_b "shaft b";
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant";
      parameter Real ratio = 1 "phi_b over phi_a, as of IdealGear; negative where the shafts turn against each other";
      parameter Real lossTable[:, 5] = [0, 1, 1, 0, 0] "rows: |w| of shaft a in rad/s; eta_mf1, part of the power that reaches shaft b where shaft a drives; eta_mf2, that reaches shaft a where shaft b drives; tau_bf1 and tau_bf2, friction of the bearings in N.m, both at shaft a. Linear in between";
      parameter Real T(unit = "s", min = 1e-60) = 1e-3 "time constant with which the losses follow the torque of the teeth";
      Signals.RealOutput lossPower "heat in W";
      GearBox box(TD = TD, ratio = ratio, lossTable = lossTable, T = T) "states: phi, w, tau_teeth";
      VariableFriction friction(TD = TD, T_stick = T) "mode: 0 sticks, 1 turns forward, -1 backward";
    equation
      assert(min(lossTable[:, 2]) > 0, "eta_mf1 must be greater than zero: no torque of shaft a would turn it");
      connect(box.support, support);
      connect(box.flange_a, flange_a);
      connect(box.flange_b, flange_b);
      connect(friction.flange_a, support);
      connect(friction.flange_b, flange_a);
      connect(box.forward, friction.forward);
      connect(box.backward, friction.backward);
      connect(friction.lossPower, lossPower);
    end LossyGear;

    model DCMotor "a motor with permanent magnets, driven by a voltage: L der(i) = u - R i - k w, tau = k i"
      Flange flange "the shaft; connect an Inertia to it";
      Signals.RealInput u "voltage in V";
      Signals.RealOutput i "current in A";
      parameter Real R(unit = "Ohm", min = 1e-60) = 1 "resistance of the armature";
      parameter Real L(unit = "H", min = 1e-60) = 1e-3 "inductance of the armature";
      parameter Real k(unit = "N.m/A") = 0.1 "torque per current, and voltage per angular velocity";
      parameter Real i_start(unit = "A") = 0 "current at the start";
      Real current(unit = "A", start = i_start);
      Signals.RealOutput lossPower "heat of the armature in W, for Thermal.PrescribedHeatFlow";
    equation
      L*der(current) = u - R*current - k*flange.w;
      i = current;
      lossPower = R*current^2;
      flange.tau_el = -k*current;
      flange.tau_ki = 0;
    end DCMotor;
  end Rotational;
end Dialectic;
