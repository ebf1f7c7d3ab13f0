model Chain "n links hanging on each other, each a joint, a rod and a body at its end"
  parameter Integer n(min = 1) = 5 "number of links";
  parameter Real length(unit = "m") = 1 "length of all links together";
  parameter Real mass(unit = "kg") = 1 "mass of all links together";
  inner Dialectic.World world;
  Dialectic.Planar.Fixed fixed;
  Dialectic.Planar.Revolute revolute[n];
  Dialectic.Planar.FixedTranslation rod[n](each r = {length / n, 0});
  Dialectic.Planar.Body body[n](each m = mass / n);
equation
  connect(fixed.frame, revolute[1].frame_a);
  for i in 1:n loop
    connect(revolute[i].frame_b, rod[i].frame_a);
    connect(rod[i].frame_b, body[i].frame_a);
    if i < n then
      connect(rod[i].frame_b, revolute[i + 1].frame_a);
    end if;
  end for;
  annotation(experiment(StopTime = 5));
end Chain;
