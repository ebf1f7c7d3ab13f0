model DroppedBall "A ball falls from 1 m on a hard floor: how high it comes back depends on T_D"
  inner Dialectic.World world;
  parameter Real c(unit = "N/m") = 1e6 "stiffness of the floor";
  parameter Real d(unit = "N.s/m") = 30 "its damping";
  Dialectic.Translational.Fixed ground;
  Dialectic.Translational.Joint height(s(start = 1));
  Dialectic.Translational.Body ball(m = 1);
  Dialectic.Translational.ElastoGap floor(c = c, d = d);
equation
  connect(ground.flange_b, height.flange_a);
  connect(height.flange_b, ball.flange_a);
  connect(ground.flange_b, floor.flange_a);
  connect(height.flange_b, floor.flange_b);
  annotation(experiment(StopTime = 1.5, Interval = 0.002));
end DroppedBall;
