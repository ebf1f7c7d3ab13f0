model Press "A crank press: a flywheel, a clutch for one stroke, a brake at the upper dead point, a blank that is formed"
  inner Dialectic.World world(TD = 0);
  parameter Real stroke(unit = "m") = 0.2, rodLength(unit = "m") = 0.6;
  parameter Real forming(unit = "N") = 150e3 "force that forms the blank", depth(unit = "m") = 0.01 "how deep it is formed";
  final parameter Real r = stroke/2 "radius of the crank", bottom = -(r + rodLength) "way of the ram at the lower dead point";
  // crank, rod, ram: a loop that joints close
  Dialectic.Planar.Fixed stand;
  Dialectic.Planar.Revolute crank(phi(start = 1.5707963267948966, fixed = true), w(start = 0, fixed = true)), bolt(phi(start = -3.1)), pin;
  Dialectic.Planar.FixedTranslation arm(r = {r, 0}), rod(r = {rodLength, 0});
  Dialectic.Planar.Body arms(m = 30, I = 2), rods(m = 20, I = 0.5), ram(m = 150);
  Dialectic.Planar.Prismatic guide(r = {0, 1}, s(start = -0.5));
  // drive: motor with belt, flywheel, clutch, brake
  Dialectic.Rotational.Fixed floor;
  Dialectic.Rotational.Joint shaft(w(start = 8));
  Dialectic.Rotational.Inertia flywheel(J = 400);
  Dialectic.Rotational.Torque motor;
  Dialectic.Rotational.SpeedSensor speed;
  Signals.LimPID drive(k = 400, Ti = 2, Td = 0, yMax = 600, I(fixed = true), D(fixed = true));
  Signals.Constant wanted(k = 8);
  Dialectic.Rotational.Clutch clutch(mu = 0.4, cgeo = 1.2, fn_max = 60e3, peak = 1.1);
  Dialectic.Rotational.Brake brake(mu = 0.4, cgeo = 1.2, fn_max = 20e3, peak = 1.1);
  // the blank resists from depth above the lower dead point on, and only downward
  Dialectic.Translational.Force blank;
  Dialectic.Translational.PositionSensor way;
  Dialectic.Translational.SpeedSensor velocity;
  // one stroke for each press of the pedal
  Signals.BooleanPulse pedal(period = 4, width = 5, startTime = 1);
  StateGraph.InitialStep rest(nIn = 1);
  StateGraph.Step run;
  StateGraph.Transition go(condition = pedal.y), up(condition = crank.phi > turned + 6.283185307179586 - 0.5);
  discrete Real turned(start = 1.5707963267948966, fixed = true) "angle when the stroke began";
  Signals.BooleanToReal engage, hold(realTrue = 0, realFalse = 1);
  Signals.SlewRateLimiter pressClutch(Rising = 10, x(fixed = true)), pressBrake(Rising = 20, y_start = 1, x(fixed = true)) "valves";
  // heat of clutch and brake
  Thermal.PrescribedHeatFlow heatClutch, heatBrake;
  Thermal.HeatCapacitor clutchDisc(C = 5e3, T(fixed = true)), brakeDisc(C = 5e3, T(fixed = true));
equation
  connect(stand.frame, crank.frame_a);
  connect(crank.frame_b, arm.frame_a);
  connect(crank.frame_b, arms.frame_a);
  connect(arm.frame_b, bolt.frame_a);
  connect(bolt.frame_b, rods.frame_a);
  connect(bolt.frame_b, rod.frame_a);
  connect(rod.frame_b, pin.frame_a);
  connect(stand.frame, guide.frame_a);
  connect(guide.frame_b, ram.frame_a);
  connect(pin.frame_b, guide.frame_b);
  connect(floor.flange_b, shaft.flange_a);
  connect(shaft.flange_b, flywheel.flange_a);
  connect(shaft.flange_b, motor.flange);
  connect(shaft.flange_b, speed.flange);
  connect(shaft.flange_b, clutch.flange_a);
  connect(clutch.flange_b, crank.flange_a);
  connect(crank.flange_a, brake.flange);
  connect(wanted.y, drive.u_s);
  connect(speed.y, drive.u_m);
  connect(drive.y, motor.tau);
  connect(guide.flange_a, blank.flange);
  connect(guide.flange_a, way.flange);
  connect(guide.flange_a, velocity.flange);
  blank.f = if way.y < bottom + depth then forming*min(1, max(0, -velocity.y/0.01)) else 0;
  when run.active then
    turned = crank.phi;
  end when;
  connect(rest.outPort[1], go.inPort);
  connect(go.outPort, run.inPort[1]);
  connect(run.outPort[1], up.inPort);
  connect(up.outPort, rest.inPort[1]);
  engage.u = run.active;
  hold.u = run.active;
  connect(engage.y, pressClutch.u);
  connect(pressClutch.y, clutch.f_normalized);
  connect(hold.y, pressBrake.u);
  connect(pressBrake.y, brake.f_normalized);
  connect(clutch.lossPower, heatClutch.Q_flow);
  connect(brake.lossPower, heatBrake.Q_flow);
  connect(heatClutch.port, clutchDisc.port);
  connect(heatBrake.port, brakeDisc.port);
  annotation(experiment(StopTime = 5, Interval = 0.005));
end Press;
