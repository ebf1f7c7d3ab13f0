model M
  parameter Integer n;
  Dialectic.Planar.Body body[n];
  Dialectic.Planar.Prismatic prismatic;
end M;
// error 2: parameter 'n' has no value
// error 4: parameter 'r' has no value
