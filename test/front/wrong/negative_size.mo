model M
  parameter Integer n = -2;
  Dialectic.Planar.Body body[n];
end M;
// error 3: -2 is no size of an array
