model LandingGear "A leg unfolds until its brace is straight (paper 001, figure 9); the loop is closed elastically"
  inner Dialectic.World world(TD = 1e-3, damped = false) "paper 001 has no d_el yet";
  parameter Real D[2](each unit = "m") = {1, 0} "hinge of the brace";
  parameter Real bracket(unit = "m") = 0.7 "from the hinge of the leg to the brace";
  parameter Real L1(unit = "m") = 0.59 "upper brace", L2(unit = "m") = 0.59 "lower brace";
  parameter Real phi0(unit = "rad") = 1.2 "leg folded towards the brace";
  // the folded position: where two circles meet
  final parameter Real P[2] = {bracket * sin(phi0), -bracket * cos(phi0)};
  final parameter Real d = sqrt((P - D) * (P - D));
  final parameter Real upper0 = atan2(P[2] - D[2], P[1] - D[1]) + acos((L1 ^ 2 + d ^ 2 - L2 ^ 2) / (2 * L1 * d));
  final parameter Real K[2] = {D[1] + L1 * cos(upper0), D[2] + L1 * sin(upper0)};
  final parameter Real lower0 = atan2(K[2] - P[2], K[1] - P[1]);
  // the leg
  Dialectic.Planar.Fixed airframe, hinge(r = D);
  Dialectic.Planar.Revolute legJoint(phi(start = phi0)), braceJoint(phi(start = lower0 - phi0)), knee(phi(start = upper0 - lower0)), hingeJoint(phi(start = upper0));
  Dialectic.Planar.FixedTranslation leg(r = {0, -1.5}), toBracket(r = {0, -bracket}), lower(r = {L2, 0}), upper(r = {L1, 0});
  Dialectic.Planar.Body wheel(m = 20, I = 0.5), lowerBody(m = 1, I = 0.02), kneeBody(m = 0.5, I = 0.005), upperBody(m = 1, I = 0.02);
  Dialectic.Planar.SpringDamper closure(c_x = 1e7, c_y = 1e7, c_phi = 1e4, d_x = 1e4, d_y = 1e4, d_phi = 10) "welds knee and upper brace";
  Dialectic.Rotational.Damper damper(d = 5);
equation
  connect(airframe.frame, legJoint.frame_a);
  connect(legJoint.frame_b, leg.frame_a);
  connect(leg.frame_b, wheel.frame_a);
  connect(legJoint.frame_b, toBracket.frame_a);
  connect(toBracket.frame_b, braceJoint.frame_a);
  connect(braceJoint.frame_b, lower.frame_a);
  connect(lower.frame_b, lowerBody.frame_a);
  connect(lower.frame_b, knee.frame_a);
  connect(knee.frame_b, kneeBody.frame_a);
  connect(hinge.frame, hingeJoint.frame_a);
  connect(hingeJoint.frame_b, upper.frame_a);
  connect(upper.frame_b, upperBody.frame_a);
  connect(knee.frame_b, closure.frame_a);
  connect(upper.frame_b, closure.frame_b);
  connect(legJoint.support, damper.flange_a);
  connect(legJoint.flange_a, damper.flange_b);
  annotation(experiment(StopTime = 3, Interval = 0.006));
end LandingGear;
