model M
  Dialectic.Planar.Fixed fixed;
  Dialectic.Planar.Body body;
equation
  connect(fixed, body);
end M;
// error 5: 'fixed' is a component, but connect needs connectors
// error 5: 'body' is a component, but connect needs connectors
// advice its connectors are fixed.frame
