model M
  Dialectic.Planar.Body body[2.5];
end M;
// error 2: a size must be an Integer, this is of type Real
