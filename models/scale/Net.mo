model Net "n x n bodies that slide in the plane, each held to its neighbours by damped springs"
  parameter Integer n(min = 2) = 30 "bodies along each side";
  parameter Real m(unit = "kg") = 1 "mass of a body";
  parameter Real c(unit = "N/m") = 1e4 "stiffness between neighbours; c TD^2 / m says how stiff the net is";
  parameter Real d(unit = "N.s/m") = 1 "damping between neighbours";
  parameter Real TD(unit = "s") = 1e-2 "dialectic time constant";
  parameter Real mesh(unit = "m") = 0.01 "distance of neighbours without force";
  inner Dialectic.World world(TD = TD);
  Dialectic.Planar.Fixed fixed;
  Dialectic.Planar.Prismatic along_x[n, n](each r = {1, 0},
    s(start = {{mesh * (j + 0.2 * sin(0.7 * i)) for j in 1:n} for i in 1:n}));
  Dialectic.Planar.Prismatic along_y[n, n](each r = {0, 1},
    s(start = {{-mesh * (i + 0.2 * sin(0.9 * j)) for j in 1:n} for i in 1:n}));
  Dialectic.Planar.Body body[n, n](each m = m);
  Dialectic.Planar.SpringDamper weft[n, n - 1](each c_x = c, each c_y = c, each c_phi = 0,
    each d_x = d, each d_y = d, each s_relx0 = mesh);
  Dialectic.Planar.SpringDamper warp[n - 1, n](each c_x = c, each c_y = c, each c_phi = 0,
    each d_x = d, each d_y = d, each s_rely0 = -mesh);
  Dialectic.Planar.SpringDamper edge[n](each c_x = c, each c_y = c, each c_phi = 0,
    each d_x = d, each d_y = d, s_relx0 = {mesh * j for j in 1:n}, each s_rely0 = -mesh)
    "the upper edge hangs on the ground";
equation
  for i in 1:n loop
    for j in 1:n loop
      connect(fixed.frame, along_x[i, j].frame_a);
      connect(along_x[i, j].frame_b, along_y[i, j].frame_a);
      connect(along_y[i, j].frame_b, body[i, j].frame_a);
      if j < n then
        connect(along_y[i, j].frame_b, weft[i, j].frame_a);
        connect(weft[i, j].frame_b, along_y[i, j + 1].frame_b);
      end if;
      if i < n then
        connect(along_y[i, j].frame_b, warp[i, j].frame_a);
        connect(warp[i, j].frame_b, along_y[i + 1, j].frame_b);
      end if;
    end for;
  end for;
  for j in 1:n loop
    connect(fixed.frame, edge[j].frame_a);
    connect(edge[j].frame_b, along_y[1, j].frame_b);
  end for;
  annotation(experiment(StopTime = 1),
    __Lieder(solver = "rk4", step = 2e-3));
end Net;
