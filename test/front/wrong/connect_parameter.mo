model M
  parameter Real m = 1;
  Dialectic.Translational.Force force;
equation
  connect(m, force.f);
end M;
// error 5: 'm' is a parameter, but connect needs connectors
