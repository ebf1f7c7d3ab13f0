model Gripper "A hand takes a round workpiece from the table, lifts it, carries it over and puts it down"
  inner Dialectic.World world(TD = 1e-3);
  parameter Real grip(unit = "N") = 60 "force of the moving jaw";
  parameter Real R(unit = "m") = 0.05 "radius of the workpiece";
  parameter Real c(unit = "N/m") = 2e6 "stiffness of every contact";
  parameter Real mu = 0.5 "friction of the jaws";
  parameter Real vA(unit = "m/s") = 1e-4 "friction holds up to this velocity of creeping";
  // the portal: two slides that follow their targets, springs with c = 2e4 N/m
  Dialectic.Planar.Fixed table;
  Dialectic.Planar.Prismatic travel(r = {1, 0}), hoist(r = {0, 1}, s(start = R));
  Dialectic.Planar.Body beam(m = 3), hand(m = 2, I = 0.01);
  Dialectic.Translational.Damper travelDamper(d = 800), hoistDamper(d = 800);
  Dialectic.Translational.PositionSensor travelSensor, hoistSensor;
  Dialectic.Translational.Force travelForce, hoistForce;
  Signals.TimeTable toX(table = {{0, 0}, {1, 0}, {1.5, 0.3}, {2.5, 0.3}});
  Signals.TimeTable toY(table = {{0, 0.05}, {0.4, 0.05}, {0.8, 0.25}, {1.7, 0.25}, {2.1, 0.05}, {2.5, 0.05}});
  Signals.Add travelControl(k1 = 2e4, k2 = -2e4), hoistControl(k1 = 2e4, k2 = -2e4);
  // the hand: a fixed jaw on the left, one that is pushed from the right
  Dialectic.Planar.FixedTranslation leftJaw(r = {-R - 1e-3, 0});
  Dialectic.Planar.Prismatic jawSlide(r = {1, 0}, s(start = R + 0.01));
  Dialectic.Planar.Body rightJaw(m = 0.2);
  Dialectic.Translational.Damper jawDamper(d = 50);
  Dialectic.Translational.Force jawForce;
  Signals.TimeTable close(table = {{0, 0}, {0.1, 0}, {0.2, -grip}, {2.2, -grip}, {2.3, 10}, {2.5, 10}});
  // the workpiece
  Dialectic.Planar.FreeMotion motion(y(start = R));
  Dialectic.Planar.Body workpiece(m = 1, I = 0.5 * R ^ 2);
  Dialectic.Planar.Contact onTable(wall(n = {0, 1}, radius = R), touch(c = c, d = 100, mu_A = 0.2, mu_S = 0.2));
  Dialectic.Planar.Contact atLeft(wall(n = {1, 0}, radius = R), touch(c = c, d = 100, mu_A = mu, mu_S = mu, vAdhesion = vA));
  Dialectic.Planar.Contact atRight(wall(n = {-1, 0}, radius = R), touch(c = c, d = 100, mu_A = mu, mu_S = mu, vAdhesion = vA));
equation
  connect(table.frame, travel.frame_a);
  connect(travel.frame_b, beam.frame_a);
  connect(travel.frame_b, hoist.frame_a);
  connect(hoist.frame_b, hand.frame_a);
  connect(travel.support, travelDamper.flange_a);
  connect(travel.flange_a, travelDamper.flange_b);
  connect(travel.flange_a, travelSensor.flange);
  connect(travel.flange_a, travelForce.flange);
  connect(toX.y, travelControl.u1);
  connect(travelSensor.y, travelControl.u2);
  connect(travelControl.y, travelForce.f);
  connect(hoist.support, hoistDamper.flange_a);
  connect(hoist.flange_a, hoistDamper.flange_b);
  connect(hoist.flange_a, hoistSensor.flange);
  connect(hoist.flange_a, hoistForce.flange);
  connect(toY.y, hoistControl.u1);
  connect(hoistSensor.y, hoistControl.u2);
  connect(hoistControl.y, hoistForce.f);
  connect(hand.frame_a, leftJaw.frame_a);
  connect(hand.frame_a, jawSlide.frame_a);
  connect(jawSlide.frame_b, rightJaw.frame_a);
  connect(jawSlide.support, jawDamper.flange_a);
  connect(jawSlide.flange_a, jawDamper.flange_b);
  connect(jawSlide.flange_a, jawForce.flange);
  connect(close.y, jawForce.f);
  connect(table.frame, motion.frame_a);
  connect(motion.frame_b, workpiece.frame_a);
  connect(table.frame, onTable.frame_a);
  connect(workpiece.frame_a, onTable.frame_b);
  connect(leftJaw.frame_b, atLeft.frame_a);
  connect(workpiece.frame_a, atLeft.frame_b);
  connect(rightJaw.frame_a, atRight.frame_a);
  connect(workpiece.frame_a, atRight.frame_b);
  annotation(experiment(StopTime = 2.5, Interval = 0.005),
    __Lieder(solver = "rk3", step = 1e-3));
end Gripper;
