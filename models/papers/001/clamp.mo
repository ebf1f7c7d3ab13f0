model Clamp "A ball squeezed between two hard pieces of wood on a cartridge that is pushed and stopped (paper 001, figure 3)"
  inner Dialectic.World world(TD = 1e-3, damped = false) "paper 001 has no d_el yet";
  parameter Real c(unit = "N/m") = 1e6 "stiffness of one contact: 2 MN/m both together";
  parameter Real depth(unit = "m") = 1e-4 "indentation at rest";
  parameter Real half(unit = "m") = 0.05 "from the middle of the clamp to a jaw";
  Dialectic.Translational.Fixed fixed;
  Dialectic.Translational.Joint slide "of the cartridge";
  Dialectic.Translational.Body cartridge(m = 100, g = 0);
  Dialectic.Translational.Translation left(l = -half), right(l = half);
  Dialectic.Translational.Joint play "of the ball in the clamp";
  Dialectic.Translational.Body ball(m = 0.5, g = 0);
  Dialectic.Translational.ElastoGap leftGap(c = c, l = half + depth), rightGap(c = c, l = half + depth);
  Signals.TimeTable force(table = {{0, 0}, {0.1, 0}, {0.1, 1000}, {0.3, 1000}, {0.3, 0}, {0.6, 0}, {0.6, -1000}, {0.8, -1000}, {0.8, 0}, {1, 0}});
equation
  connect(fixed.flange_b, slide.flange_a);
  connect(slide.flange_b, cartridge.flange_a);
  connect(cartridge.flange_a, left.flange_a);
  connect(cartridge.flange_a, right.flange_a);
  connect(cartridge.flange_a, play.flange_a);
  connect(play.flange_b, ball.flange_a);
  connect(left.flange_b, leftGap.flange_a);
  connect(leftGap.flange_b, ball.flange_a);
  connect(ball.flange_a, rightGap.flange_a);
  connect(rightGap.flange_b, right.flange_b);
  connect(force.y, slide.f_ext);
  annotation(experiment(StopTime = 1, Interval = 0.002));
end Clamp;
