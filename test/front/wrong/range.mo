model M
  Dialectic.Translational.Body body(m = -1);
end M;
// error 2: m = -1 must be at least 0
