model TwoSprings "Two masses on springs, bound by s1 = |s2| s2 (paper 004, TwoSpringsWithConstraint)"
  inner Dialectic.World world(TD = 0);
  Dialectic.Translational.Fixed wall, far(s = 5);
  Dialectic.Translational.Joint joint "s2, the one coordinate that the constraint leaves";
  Dialectic.Translational.Body mass2(m = 2, g = 0), mass1(m = 10, g = 0);
  Dialectic.Translational.Spring spring2(c = 20), spring1(c = 1);
  Dialectic.Translational.SquareLink constraint;
equation
  connect(wall.flange_b, joint.flange_a);
  connect(joint.flange_b, mass2.flange_a);
  connect(far.flange_b, spring2.flange_a);
  connect(spring2.flange_b, mass2.flange_a);
  connect(mass2.flange_a, constraint.flange_a);
  connect(constraint.flange_b, mass1.flange_a);
  connect(wall.flange_b, spring1.flange_a);
  connect(spring1.flange_b, mass1.flange_a);
  annotation(experiment(StopTime = 20, Interval = 0.02, Tolerance = 1e-8));
end TwoSprings;
