package Gripper "A gripper with two fingers lifts, carries and turns a workpiece"

  model Jaws "A wrist that moves and turns, and two fingers that close with a force"
    parameter Real force(unit = "N") = 40 "with which each finger presses";
    parameter Real mu_A = 0.5 "friction between fingers and workpiece at adhesion", mu_S = 0.4 "and at sliding";
    parameter Real open(unit = "m") = 0.06 "way from the middle to a finger at the start";
    parameter Real finger[:, 2] = Dialectic.Planar.box(0.02, 0.06) "corners of a finger";
    parameter Real piece[:, 2] = Dialectic.Planar.regularPolygon(6, 0.04) "corners of the workpiece";
    parameter Real c(unit = "N/m") = 1e6 "stiffness of the surfaces";
    Dialectic.Planar.Frame wrist "what carries the gripper";
    Dialectic.Planar.Frame workpiece "what it holds";
    Dialectic.Planar.Prismatic left(r = {1, 0}, s(start = -open)), right(r = {-1, 0}, s(start = -open)) "both count towards the middle";
    Dialectic.Planar.Body leftFinger(m = 0.2, I = 1e-4), rightFinger(m = 0.2, I = 1e-4);
    Dialectic.Translational.Force pushLeft, pushRight;
    Dialectic.Translational.LinearDrag oilLeft(d = 100), oilRight(d = 100);
    Dialectic.Translational.SpringDamper pinion(c = 1e5, d = 100) "keeps the fingers at the same way from the middle";
    Signals.RealInput grip "1 closes with the force, -1 opens";
    Signals.Gain strength(k = force);
    Dialectic.Planar.ShapeContact onLeft(shape_a = finger, shape_b = piece, c = c, mu_A = mu_A, mu_S = mu_S, vAdhesion = 1e-4);
    Dialectic.Planar.ShapeContact onRight(shape_a = finger, shape_b = piece, c = c, mu_A = mu_A, mu_S = mu_S, vAdhesion = 1e-4);
  equation
    connect(wrist, left.frame_a);
    connect(wrist, right.frame_a);
    connect(left.frame_b, leftFinger.frame_a);
    connect(right.frame_b, rightFinger.frame_a);
    connect(grip, strength.u);
    connect(strength.y, pushLeft.f);
    connect(strength.y, pushRight.f);
    connect(pushLeft.flange, left.flange_a);
    connect(pushRight.flange, right.flange_a);
    connect(oilLeft.flange, left.flange_a);
    connect(oilRight.flange, right.flange_a);
    connect(left.flange_a, pinion.flange_a);
    connect(right.flange_a, pinion.flange_b);
    connect(left.frame_b, onLeft.frame_a);
    connect(right.frame_b, onRight.frame_a);
    connect(workpiece, onLeft.frame_b);
    connect(workpiece, onRight.frame_b);
  end Jaws;

  model Cell "Lifts a hexagon from the table, carries it 0.3 m, turns it by 60 degrees and puts it down"
    inner Dialectic.World world(TD = 1e-3);
    parameter Real m(unit = "kg") = 1 "mass of the workpiece";
    Dialectic.Planar.Fixed table;
    Dialectic.Planar.Prismatic x(r = {1, 0}), y(r = {0, 1}, s(start = 0.0346));
    Dialectic.Planar.Revolute hand;
    Dialectic.Planar.Body arm(m = 2, I = 0.02), carriage(m = 1);
    // the axes follow their set points with stiff drives
    Dialectic.Translational.SpringDamper driveX(c = 2e4, d = 500), driveY(c = 2e4, d = 500);
    Dialectic.Rotational.SpringDamper driveHand(c = 300, d = 6);
    Dialectic.Translational.Position wantX, wantY(s_start = 0.0346);
    Dialectic.Rotational.Position wantHand;
    Signals.TimeTable planX(table = {{0, 0}, {1.2, 0}, {2.2, 0.3}, {4, 0.3}});
    Signals.TimeTable planY(table = {{0, 0.0346}, {0.6, 0.0346}, {1.2, 0.2346}, {3.2, 0.2346}, {3.8, 0.036}, {5, 0.036}});
    Signals.TimeTable planHand(table = {{0, 0}, {2.2, 0}, {3.2, -1.0472}, {4, -1.0472}});
    Signals.TimeTable planGrip(table = {{0, 0}, {0.1, 0}, {0.3, 1}, {4, 1}, {4.1, -0.2}, {5, -0.2}});
    Jaws jaws;
    Dialectic.Planar.FreeMotion free(y(start = 0.0346));
    Dialectic.Planar.Body piece(m = m, I = 8e-4*m);
    Dialectic.Planar.LineContact ground(n = {0, 1}, shape = jaws.piece, c = 1e6, mu_A = 0.5, mu_S = 0.4, vAdhesion = 1e-4);
  equation
    connect(table.frame, x.frame_a);
    connect(x.frame_b, carriage.frame_a);
    connect(x.frame_b, y.frame_a);
    connect(y.frame_b, hand.frame_a);
    connect(hand.frame_b, arm.frame_a);
    connect(hand.frame_b, jaws.wrist);
    connect(planX.y, wantX.s_ref);
    connect(planY.y, wantY.s_ref);
    connect(planHand.y, wantHand.phi_ref);
    connect(wantX.flange, driveX.flange_a);
    connect(driveX.flange_b, x.flange_a);
    connect(wantY.flange, driveY.flange_a);
    connect(driveY.flange_b, y.flange_a);
    connect(wantHand.flange, driveHand.flange_a);
    connect(driveHand.flange_b, hand.flange_a);
    connect(planGrip.y, jaws.grip);
    connect(table.frame, free.frame_a);
    connect(free.frame_b, piece.frame_a);
    connect(free.frame_b, jaws.workpiece);
    connect(table.frame, ground.frame_a);
    connect(free.frame_b, ground.frame_b);
    annotation(experiment(StopTime = 5, Interval = 0.01), __Lieder(solver = "rk4", step = 1e-3));
  end Cell;

  model Pull "The workpiece is pulled out of a gripper that rests: it slips beyond 2 mu force"
    inner Dialectic.World world(TD = 1e-3, g = 0);
    Dialectic.Planar.Fixed hand;
    Jaws jaws(force = 40, open = 0.05);
    Dialectic.Planar.FreeMotion free;
    Dialectic.Planar.Body piece(m = 1, I = 8e-4);
    Dialectic.Planar.WorldForce hook;
    Signals.Constant close, none(k = 0);
    Signals.Ramp pull(height = -60, duration = 3, startTime = 0.5);
  equation
    connect(hand.frame, jaws.wrist);
    connect(close.y, jaws.grip);
    connect(hand.frame, free.frame_a);
    connect(free.frame_b, piece.frame_a);
    connect(free.frame_b, jaws.workpiece);
    connect(free.frame_b, hook.frame);
    connect(none.y, hook.fx);
    connect(pull.y, hook.fy);
    connect(none.y, hook.t);
    annotation(experiment(StopTime = 3.5, Interval = 0.005), __Lieder(solver = "rk4", step = 1e-3));
  end Pull;
end Gripper;
