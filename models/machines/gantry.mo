package Gantry "Two axes with DC motors and controllers in cascade carry a tool; limit switches stop them"

  model Axis "A motor with a belt on a slider: current, speed and position, each with its controller inside the next"
    Dialectic.Translational.Flange flange "moves with the slider";
    Signals.RealInput target "where it shall go, in m";
    Signals.RealInput enable "1: it is driven, 0: its voltage is off";
    Signals.RealOutput at "where it is, in m";
    parameter Real r(unit = "m") = 0.02 "radius of the pulley", J(unit = "kg.m2") = 2e-4 "rotor and pulley";
    parameter Real v_max(unit = "m/s") = 1, a_max(unit = "m/s2") = 10;
    parameter Real m(unit = "kg") "mass that it moves, for its controllers";
    Dialectic.Rotational.RollingWheel pulley(radius = r);
    Dialectic.Rotational.Inertia rotor(J = J);
    Dialectic.Rotational.DCMotor motor(R = 0.6, L = 1e-3, k = 0.08);
    Dialectic.Translational.PositionSensor position;
    Dialectic.Translational.SpeedSensor speed;
    Signals.SlewRateLimiter path(Rising = v_max, Td = 0.02) "no faster than v_max";
    Signals.Feedback error;
    Signals.Gain k_s(k = 25);
    Signals.LimPID k_v(k = (m*r + J/r)/motor.k*60, Ti = 0.1, Td = 0, yMax = 20) "current that is wanted, in A";
    Signals.LimPID k_i(k = 2, Ti = 0.002, Td = 0, yMax = 48) "voltage";
    Signals.Product voltage;
  equation
    connect(flange, pulley.flangeT);
    connect(pulley.flangeR, rotor.flange_a);
    connect(rotor.flange_a, motor.flange);
    connect(flange, position.flange);
    connect(flange, speed.flange);
    connect(target, path.u);
    connect(path.y, error.u1);
    connect(position.y, error.u2);
    connect(error.y, k_s.u);
    connect(k_s.y, k_v.u_s);
    connect(speed.y, k_v.u_m);
    connect(k_v.y, k_i.u_s);
    connect(motor.i, k_i.u_m);
    connect(position.y, at);
    connect(k_i.y, voltage.u1);
    connect(enable, voltage.u2);
    connect(voltage.y, motor.u);
  end Axis;

  model Cell "seen from above: the tool drives around a square; in the end x would go beyond its limit"
    inner Dialectic.World world(TD = 0, g = 0);
    Dialectic.Planar.Fixed frame;
    Dialectic.Planar.Prismatic x(r = {1, 0}), y(r = {0, 1});
    Dialectic.Planar.Body bridge(m = 8), tool(m = 2);
    Dialectic.Translational.CoulombFriction railX(F_Coulomb = 6, F_Stribeck = 3, fexp = 20), railY(F_Coulomb = 3);
    Dialectic.Translational.ElastoGap buffer(c = 5e4, d = 300, l = -0.65) "beyond the switch stands a buffer";
    Axis axisX(m = 10), axisY(m = 2);
    parameter Real low(unit = "m") = -0.05, high(unit = "m") = 0.6 "limit switches of both axes";
    Boolean hit(start = false, fixed = true) "one of them was reached: both axes are off from then on";
    Signals.TimeTable wayX(table = [0, 0; 0.5, 0; 0.5, 0.4; 2.5, 0.4; 2.5, 0; 4.5, 0; 4.5, 0.8; 6, 0.8]);
    Signals.TimeTable wayY(table = [0, 0; 1.5, 0; 1.5, 0.4; 3.5, 0.4; 3.5, 0; 6, 0]);
  equation
    connect(frame.frame, x.frame_a);
    connect(x.frame_b, bridge.frame_a);
    connect(x.frame_b, y.frame_a);
    connect(y.frame_b, tool.frame_a);
    connect(x.support, railX.flange_a);
    connect(x.flange_a, railX.flange_b);
    connect(y.support, railY.flange_a);
    connect(y.flange_a, railY.flange_b);
    connect(x.flange_a, buffer.flange_a);
    connect(x.support, buffer.flange_b);
    connect(x.flange_a, axisX.flange);
    connect(y.flange_a, axisY.flange);
    connect(wayX.y, axisX.target);
    connect(wayY.y, axisY.target);
    when axisX.at < low or axisX.at > high or axisY.at < low or axisY.at > high then
      hit = true;
    end when;
    axisX.enable = if hit then 0 else 1;
    axisY.enable = if hit then 0 else 1;
    annotation(experiment(StopTime = 6, Interval = 0.01));
  end Cell;
end Gantry;
