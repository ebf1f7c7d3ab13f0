model M
  Dialectic.Translational.Body body(m = {1, 2});
end M;
// error 2: 'm' is a scalar, but the value has the sizes [2]
