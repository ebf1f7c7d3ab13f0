model M
  parameter Real use = 1;
  Dialectic.Planar.Body body if use;
end M;
// error 3: a condition must be Boolean, this is of type Real
