model M "several mistakes are shown at once"
  Dialectic.Planar.Fixd fixed;
  Dialectic.Planar.Body body(m = mass, J = 2);
  parameter Real l = "long";
equation
  connect(body.frame_a, rod.frame_b);
end M;
// error 2: there is no class 'Fixd' in 'Planar'
// error 3: there is no 'mass' here
// error 3: 'Body' has no element 'J' that could be modified
// error 4: l is of type Real, but the value is of type String
// error 6: there is no component 'rod' to connect
