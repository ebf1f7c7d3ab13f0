model M
  Dialectic.Planar.Body body = 3;
end M;
// error 2: 'body' is a component and cannot be given a value
