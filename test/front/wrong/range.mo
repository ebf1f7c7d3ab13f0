model M
  Dialectic.Translational.Body body(m = -1);
  parameter Integer n(min = 1, max = 5) = 7;
end M;
// error 2: m = -1 must be at least 0
// error 3: n = 7 must be at most 5
