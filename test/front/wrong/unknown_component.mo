model M
  Dialectic.Planar.Fixed fixed;
equation
  connect(fixd.frame, fixed.frame);
end M;
// error 4: there is no component 'fixd' to connect
// advice did you mean 'fixed'?
