model Elevator "A car with a counterweight: the drive brings it to the next floor, the brake holds it there"
  inner Dialectic.World world(TD = 0);
  parameter Real height(unit = "m") = 3.5 "from floor to floor";
  parameter Real load(unit = "kg") = 300 "passengers";
  parameter Real r(unit = "m") = 0.25 "radius of the sheave";
  // sheave, car and counterweight
  Dialectic.Rotational.Fixed shaft;
  Dialectic.Rotational.Joint sheave;
  Dialectic.Rotational.Inertia drum(J = 20);
  Dialectic.Rotational.RollingWheel rope(radius = r);
  Dialectic.Translational.Body car(m = 900 + load, g = -9.81) "g along s: down";
  Dialectic.Rotational.RollingWheel ropeBack(radius = r);
  Dialectic.Translational.Body counterweight(m = 1100, g = 9.81) "it hangs on the other side";
  // the brake lets go while the drive holds the car
  Dialectic.Rotational.Brake brake(mu = 0.4, cgeo = 0.4, fn_max = 1e4, peak = 1.1);
  Dialectic.Rotational.Torque motor;
  // the drive: a controller of the speed with limits, and a plan for it
  Dialectic.Rotational.AngleSensor angle;
  Dialectic.Rotational.SpeedSensor speed;
  Signals.LimPID drive(k = 2500, Ti = 0.5, Td = 0, yMax = 1500);
  Signals.RealExpression plan(y = if go.active then min(min(4, 2*(time - began)), sqrt(max(0, 2*1.6*(height/r - angle.y)))) else 0);
  Signals.Switch torque;
  Signals.Constant none(k = 0);
  // at rest with the brake on, let go, travel, brake on again
  StateGraph.InitialStep rest(nIn = 0) "the brake holds";
  StateGraph.Step hold "the motor takes over, the brake opens", go "travels", arrived(nOut = 0) "the brake holds again";
  StateGraph.Transition call(condition = time >= 1), taken(enableTimer = true, waitTime = 0.5), there(condition = angle.y >= height/r - 2e-3);
  discrete Real began(start = 0, fixed = true) "when it began to travel";
  Signals.BooleanToReal press(realTrue = 0, realFalse = 1);
equation
  when go.active then
    began = time;
  end when;
  connect(shaft.flange_b, sheave.flange_a);
  connect(sheave.flange_b, drum.flange_a);
  connect(sheave.flange_b, rope.flangeR);
  connect(rope.flangeT, car.flange_a);
  connect(sheave.flange_b, ropeBack.flangeR);
  connect(ropeBack.flangeT, counterweight.flange_a);
  connect(sheave.flange_b, brake.flange);
  connect(sheave.flange_b, motor.flange);
  connect(sheave.flange_b, angle.flange);
  connect(sheave.flange_b, speed.flange);
  connect(rest.outPort[1], call.inPort);
  connect(call.outPort, hold.inPort[1]);
  connect(hold.outPort[1], taken.inPort);
  connect(taken.outPort, go.inPort[1]);
  connect(go.outPort[1], there.inPort);
  connect(there.outPort, arrived.inPort[1]);
  connect(plan.y, drive.u_s);
  connect(speed.y, drive.u_m);
  connect(drive.y, torque.u1);
  connect(none.y, torque.u3);
  torque.u2 = hold.active or go.active;
  press.u = torque.u2;
  connect(torque.y, motor.tau);
  connect(press.y, brake.f_normalized);
  annotation(experiment(StopTime = 10, Interval = 0.01, Tolerance = 1e-6));
end Elevator;
