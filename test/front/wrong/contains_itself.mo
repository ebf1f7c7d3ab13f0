model M
  Dialectic.Planar.Fixed fixed;
  M again;
end M;
// error 3: 'M' contains itself
