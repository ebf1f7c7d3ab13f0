model M
  parameter Integer n = 0;
  Dialectic.Translational.Body body(m = 1 / n);
end M;
// error 3: division of 1 by zero
