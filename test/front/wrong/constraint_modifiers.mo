model M
  replaceable model B = Dialectic.Planar.Body constrainedby Dialectic.Planar.Body(m = 2);
end M;
// error 2: modifiers after constrainedby of a class are not supported yet
