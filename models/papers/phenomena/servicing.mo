model Servicing "A satellite takes hold of another one that drifts and turns: ideal orbits, dialectic arm and grip"
  inner Dialectic.World world(TD = 1e-3, g = 0);
  parameter Real grip(unit = "N") = 40 "force of the moving jaw";
  parameter Real R(unit = "m") = 0.04 "radius of the pin that is gripped";
  parameter Real c(unit = "N/m") = 1e6 "stiffness of pin and jaws";
  parameter Real mu = 0.5 "friction of the jaws";
  // both satellites move ideally: T_D = 0 is Newton's mechanics
  Dialectic.Planar.Fixed origin;
  Dialectic.Planar.FreeMotion chaserMotion(TD = 0);
  Dialectic.Planar.Body chaser(m = 100, I = 20);
  Dialectic.Planar.FreeMotion targetMotion(TD = 0, x(start = 2.26), y(start = 0.02), vx(start = -0.02), vy(start = 0.01), w(start = -0.1));
  Dialectic.Planar.Body target(m = 60, I = 10);
  Dialectic.Planar.FixedTranslation pin(r = {-0.6, 0});
  // the arm, held by springs in its joints
  Dialectic.Planar.FixedTranslation toShoulder(r = {0.5, 0}), upper(r = {0.6, 0}), lower(r = {0.6, 0});
  Dialectic.Planar.Revolute shoulder(phi(start = 0.5)), elbow(phi(start = -1));
  Dialectic.Planar.Body elbowBody(m = 2, I = 0.02), hand(m = 2, I = 0.02);
  Dialectic.Rotational.SpringDamper shoulderHold(c = 500, d = 60, phi0 = 0.5), elbowHold(c = 500, d = 60, phi0 = -1);
  // the hand: a fixed jaw below, one that is pushed from above
  Dialectic.Planar.FixedRotation wrist(alpha = 0.5);
  Dialectic.Planar.FixedTranslation lowerJaw(r = {0.1, -0.06}), upperRail(r = {0.1, 0});
  Dialectic.Planar.Prismatic jawSlide(r = {0, 1}, s(start = 0.1));
  Dialectic.Planar.Body upperJaw(m = 0.2, I = 1e-4);
  Dialectic.Translational.Damper jawDamper(d = 100);
  Dialectic.Translational.Force jawForce;
  Signals.TimeTable close(table = {{0, 0}, {0.2, 0}, {0.4, -grip}, {10, -grip}});
  Dialectic.Planar.Contact below(wall(n = {0, 1}, radius = R), touch(c = c, d = 200, mu_A = mu, mu_S = mu));
  Dialectic.Planar.Contact above(wall(n = {0, -1}, radius = R), touch(c = c, d = 200, mu_A = mu, mu_S = mu));
equation
  connect(origin.frame, chaserMotion.frame_a);
  connect(chaserMotion.frame_b, chaser.frame_a);
  connect(origin.frame, targetMotion.frame_a);
  connect(targetMotion.frame_b, target.frame_a);
  connect(target.frame_a, pin.frame_a);
  connect(chaser.frame_a, toShoulder.frame_a);
  connect(toShoulder.frame_b, shoulder.frame_a);
  connect(shoulder.frame_b, upper.frame_a);
  connect(upper.frame_b, elbowBody.frame_a);
  connect(upper.frame_b, elbow.frame_a);
  connect(elbow.frame_b, lower.frame_a);
  connect(lower.frame_b, hand.frame_a);
  connect(shoulder.support, shoulderHold.flange_a);
  connect(shoulder.flange_a, shoulderHold.flange_b);
  connect(elbow.support, elbowHold.flange_a);
  connect(elbow.flange_a, elbowHold.flange_b);
  connect(lower.frame_b, wrist.frame_a);
  connect(wrist.frame_b, lowerJaw.frame_a);
  connect(wrist.frame_b, upperRail.frame_a);
  connect(upperRail.frame_b, jawSlide.frame_a);
  connect(jawSlide.frame_b, upperJaw.frame_a);
  connect(jawSlide.support, jawDamper.flange_a);
  connect(jawSlide.flange_a, jawDamper.flange_b);
  connect(jawSlide.flange_a, jawForce.flange);
  connect(close.y, jawForce.f);
  connect(lowerJaw.frame_b, below.frame_a);
  connect(pin.frame_b, below.frame_b);
  connect(upperJaw.frame_a, above.frame_a);
  connect(pin.frame_b, above.frame_b);
  annotation(experiment(StopTime = 10, Interval = 0.02),
    __Lieder(solver = "rk3", step = 1e-3));
end Servicing;
