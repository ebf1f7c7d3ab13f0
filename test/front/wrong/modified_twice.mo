model M
  Dialectic.Translational.Body body(m = 1, m = 2);
end M;
// error 2: 'm' is modified twice in one list
