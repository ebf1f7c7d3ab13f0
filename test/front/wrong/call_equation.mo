model M
  Dialectic.Planar.Fixed fixed;
equation
  terminate("enough");
end M;
// error 4: 'M' has a call as an equation, which is not supported yet
