model Fleet "Many crane crabs; their number is data"
  parameter Integer n = 1000 "number of crabs";
  inner Dialectic.World world;
  Dialectic.Examples.CraneCrab crab[n](cart(m = {1 + 0.1 * mod(i, 10) for i in 1:n}));
  annotation(experiment(StopTime = 1));
end Fleet;
