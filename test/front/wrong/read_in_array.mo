model M
  inner Dialectic.World world;
  Dialectic.Examples.CraneCrab crab[1000];
  Real e = crab[3].prismatic.v;
end M;
// error 4: 'v' is a variable inside an array of 1000 components of the compiled library
