model Robot "A robot with two wheels, each with a DC motor, seen from above: different voltages make it drive a circle"
  inner Dialectic.World world(TD = 0, g = 0) "the weight is across the plane";
  parameter Real track(unit = "m") = 0.3 "from wheel to wheel", radius(unit = "m") = 0.05 "of a wheel";
  parameter Real left(unit = "V") = 5 "voltage of the left motor", right(unit = "V") = 6 "and of the right one";
  Dialectic.Planar.Fixed ground;
  Dialectic.Planar.FreeMotion motion;
  Dialectic.Planar.Body body(m = 5, I = 0.1);
  Dialectic.Planar.FixedTranslation toLeft(r = {0, track/2}), toRight(r = {0, -track/2});
  Dialectic.Planar.IdealWheel leftWheel(radius = radius), rightWheel(radius = radius);
  Dialectic.Rotational.Inertia leftRim(J = 1e-4), rightRim(J = 1e-4);
  Dialectic.Rotational.DCMotor leftMotor(R = 1, L = 1e-3, k = 0.5), rightMotor(R = 1, L = 1e-3, k = 0.5);
  Signals.Constant leftVoltage(k = left), rightVoltage(k = right);
  Dialectic.Planar.SpeedSensor speed(resolveIn = Dialectic.Planar.ResolveIn.frame) "along and across the robot";
equation
  connect(ground.frame, motion.frame_a);
  connect(motion.frame_b, body.frame_a);
  connect(motion.frame_b, speed.frame);
  connect(motion.frame_b, toLeft.frame_a);
  connect(motion.frame_b, toRight.frame_a);
  connect(toLeft.frame_b, leftWheel.frame);
  connect(toRight.frame_b, rightWheel.frame);
  connect(leftWheel.flange, leftRim.flange_a);
  connect(rightWheel.flange, rightRim.flange_a);
  connect(leftWheel.flange, leftMotor.flange);
  connect(rightWheel.flange, rightMotor.flange);
  connect(leftVoltage.y, leftMotor.u);
  connect(rightVoltage.y, rightMotor.u);
  annotation(experiment(StopTime = 16, Interval = 0.1));
end Robot;
