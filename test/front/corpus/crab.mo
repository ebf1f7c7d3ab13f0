package Crab "inner, outer, conditions, arrays, connections"
  import Modelica.Math.*;
  import P = Modelica.Units.SI;
  import A.B.{c, 'd e'};
  model World
    constant Real g[3] = {0, -9.81, 0};
  end World;
  model Leg
    outer World world;
    replaceable model Joint = Revolute constrainedby PartialJoint(phi(start = 0)) "any joint";
    Joint joint(each final r = {1, 0, 0}) if hasJoint;
    parameter Boolean hasJoint = true annotation (Evaluate = true);
    Frame a, b annotation (Placement(transformation(extent = {{-10, -10}, {10, 10}})));
  equation
    connect(a, joint.a) annotation (Line(points = {{0, 0}, {1, 1}}, color = {0, 0, 127}));
    connect(.Crab.x[1].y, b);
  end Leg;
  inner World world;
  Leg[8] legs(redeclare each model Joint = Ball, r = fill(1, 8));
  Leg extra[2, :](redeclare replaceable Foot foot constrainedby Part "foot");
equation
  for i in 1:7, j in {1, 3, 5} loop
    if i == j then
      connect(legs[i].b, legs[i + 1].a);
    elseif i > j or not (i <> j) then
      legs[end].x = if i < 3 then 1 elseif i < 5 then -2 else 3;
    else
      assert(false, "no" + " way");
    end if;
  end for;
end Crab;
