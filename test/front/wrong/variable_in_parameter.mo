model M
  Dialectic.Planar.Revolute joint;
  parameter Real x = joint.phi;
  parameter Real y = time;
end M;
// error 3: 'phi' is a variable, but a parameter is needed here
// error 4: time cannot be used in a parameter
