model CraneCrab "Pendulum on a slider (paper 003, figure 5)"
  inner Dialectic.World world;
  parameter Real cartMass(unit = "kg") = 2 "mass of the cart";
  parameter Real loadMass(unit = "kg") = 1 "mass of the load";
  parameter Real l(unit = "m") = 1 "length of the rod";
  Dialectic.Planar.Fixed fixed;
  Dialectic.Planar.Prismatic prismatic(r = {1, 0});
  Dialectic.Planar.Body cart(m = cartMass);
  Dialectic.Planar.Revolute revolute(phi(start = 1));
  Dialectic.Planar.FixedTranslation rod(r = {0, -l});
  Dialectic.Planar.Body load(m = loadMass);
equation
  connect(fixed.frame, prismatic.frame_a);
  connect(prismatic.frame_b, cart.frame_a);
  connect(prismatic.frame_b, revolute.frame_a);
  connect(revolute.frame_b, rod.frame_a);
  connect(rod.frame_b, load.frame_a);
  annotation(experiment(StopTime = 10, Interval = 0.02));
end CraneCrab;
