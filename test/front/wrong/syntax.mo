model M
  Dialectic.Planar.Body body(m = );
  parameter Real x = 3 +;
end M;
// error 2: expected
// error 3: expected
