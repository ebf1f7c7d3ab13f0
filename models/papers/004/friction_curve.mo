model FrictionCurve "Dry friction over velocity: one S against three (paper 004)"
  inner Dialectic.World world(TD = 0);
  parameter Real N(unit = "N") = 10 "normal force";
  parameter Real mu = 0.3 "friction of the S-function, and of the triple one at sliding";
  parameter Real mu_A = 0.5 "friction of the triple S-function at adhesion";
  Dialectic.Translational.Fixed ground;
  Dialectic.Translational.Joint joint(v(start = -0.05)) "runs through all velocities with a = 0.1 m/s2";
  Dialectic.Translational.Body sled(m = 1e9, g = 0.1) "so heavy that friction does not matter";
  Dialectic.Translational.DryFriction singleS(N = N, vAdhesion = 0.01, vSlide = 0.02, mu_A = mu, mu_S = mu);
  Dialectic.Translational.DryFriction tripleS(N = N, vAdhesion = 0.01, vSlide = 0.03, mu_A = mu_A, mu_S = mu);
equation
  connect(ground.flange_b, joint.flange_a);
  connect(joint.flange_b, sled.flange_a);
  connect(ground.flange_b, singleS.flange_a);
  connect(singleS.flange_b, sled.flange_a);
  connect(ground.flange_b, tripleS.flange_a);
  connect(tripleS.flange_b, sled.flange_a);
  annotation(experiment(StopTime = 1, Interval = 0.002));
end FrictionCurve;
