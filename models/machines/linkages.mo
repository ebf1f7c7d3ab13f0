package Linkages "Loops of rods that joints close: no elastic element is needed"
  import Dialectic.Planar.*;

  model Rod "a rod with its mass spread evenly"
    Frame frame_a, frame_b;
    parameter Real L(unit = "m") = 1, m(unit = "kg") = 1;
    FixedTranslation half_a(r = {L/2, 0}), half_b(r = {L/2, 0});
    Body body(m = m, I = m*L^2/12);
  equation
    connect(frame_a, half_a.frame_a);
    connect(half_a.frame_b, body.frame_a);
    connect(half_a.frame_b, half_b.frame_a);
    connect(half_b.frame_b, frame_b);
  end Rod;

  model FourBar "a crank turns, a rocker swings"
    inner Dialectic.World world(TD = 0);
    Fixed left, right(r = {2.2, 0});
    Revolute p1(phi(start = 0.3, fixed = true), w(start = 9, fixed = true)), p2(phi(start = 0.2)), p3(phi(start = -2)), p4;
    Rod crank(L = 0.5), coupler(L = 2), rocker(L = 1.2);
  equation
    connect(left.frame, p1.frame_a);
    connect(p1.frame_b, crank.frame_a);
    connect(crank.frame_b, p2.frame_a);
    connect(p2.frame_b, coupler.frame_a);
    connect(coupler.frame_b, p3.frame_a);
    connect(p3.frame_b, rocker.frame_a);
    connect(rocker.frame_b, p4.frame_a);
    connect(p4.frame_b, right.frame);
    annotation(experiment(StopTime = 5));
  end FourBar;

  model Piston "crank, rod and slider: goes through both dead points"
    inner Dialectic.World world(TD = 0);
    Fixed ground;
    Revolute bearing(phi(start = 0.3, fixed = true), w(start = 6, fixed = true)), knee, bolt;
    Prismatic guide(r = {1, 0}, s(start = 1.6));
    Rod crank(L = 0.5, m = 2), rod(L = 1.2);
    Body piston(m = 0.5);
  equation
    connect(ground.frame, bearing.frame_a);
    connect(bearing.frame_b, crank.frame_a);
    connect(crank.frame_b, knee.frame_a);
    connect(knee.frame_b, rod.frame_a);
    connect(rod.frame_b, bolt.frame_a);
    connect(ground.frame, guide.frame_a);
    connect(guide.frame_b, piston.frame_a);
    connect(bolt.frame_b, guide.frame_b);
    annotation(experiment(StopTime = 5));
  end Piston;

  model Engine "the piston with a damper in its bearing, which stays a component of the compiled library"
    extends Piston;
    Dialectic.Rotational.Damper load(d = 0.5);
  equation
    connect(load.flange_a, bearing.support);
    connect(load.flange_b, bearing.flange_a);
  end Engine;

  model Gripper "two fingers side by side, a parallelogram with a spring at its hinge"
    Frame frame_a;
    Revolute hinge(phi(start = 0.5, fixed = true), w(start = 2, fixed = true)), h2(phi(start = 0.6)), h3(phi(start = -0.5)), h4;
    FixedTranslation palm(r = {0, 0.3});
    Rod finger1(L = 0.4), finger2(L = 0.4), tip(L = 0.3);
    FixedRotation turn(alpha = 1.5707963267948966);
    Body load(m = 0.3);
    Dialectic.Rotational.SpringDamper spring(c = 5, d = 0.01);
  equation
    connect(frame_a, hinge.frame_a);
    connect(frame_a, palm.frame_a);
    connect(palm.frame_b, h2.frame_a);
    connect(hinge.frame_b, finger1.frame_a);
    connect(h2.frame_b, finger2.frame_a);
    connect(finger1.frame_b, h3.frame_a);
    connect(h3.frame_b, turn.frame_a);
    connect(turn.frame_b, tip.frame_a);
    connect(finger2.frame_b, h4.frame_a);
    connect(h4.frame_b, tip.frame_b);
    connect(tip.frame_b, load.frame_a);
    connect(spring.flange_a, hinge.support);
    connect(spring.flange_b, hinge.flange_a);
  end Gripper;

  model Arm "a gripper at the end of an arm"
    inner Dialectic.World world(TD = 0);
    Fixed ground;
    Revolute shoulder(phi(start = 0.3), w(start = 1));
    Rod arm(L = 1, m = 2);
    Gripper gripper;
  equation
    connect(ground.frame, shoulder.frame_a);
    connect(shoulder.frame_b, arm.frame_a);
    connect(arm.frame_b, gripper.frame_a);
    annotation(experiment(StopTime = 2));
  end Arm;

  model ArmInOne "the same, not divided into models"
    extends Gripper;
    inner Dialectic.World world(TD = 0);
    Fixed ground;
    Revolute shoulder(phi(start = 0.3), w(start = 1));
    Rod arm(L = 1, m = 2);
  equation
    connect(ground.frame, shoulder.frame_a);
    connect(shoulder.frame_b, arm.frame_a);
    connect(arm.frame_b, frame_a);
  end ArmInOne;
end Linkages;
