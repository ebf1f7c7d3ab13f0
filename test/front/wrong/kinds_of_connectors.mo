model Winch
  Dialectic.Planar.Frame frame;
  Dialectic.Translational.Flange flange;
equation
  frame.fx_el = 0;
  frame.fx_ki = 0;
  frame.fy_el = 3*(flange.s - frame.y);
  frame.fy_ki = 0;
  frame.t_el = 0;
  frame.t_ki = 0;
  flange.f_el = 3*(flange.s - frame.y);
  flange.f_ki = 0;
end Winch;

model M
  Winch winch;
end M;
// error 2: has connectors of different kinds
