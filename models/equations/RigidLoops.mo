package RigidLoops "Classical mechanics in the plane that closes loops of rods with pins, no elastic element needed"
  connector Frame "a point of a body and its angle"
    Real x(unit = "m");
    Real y(unit = "m");
    Real phi(unit = "rad");
    flow Real fx(unit = "N");
    flow Real fy(unit = "N");
    flow Real t(unit = "N.m");
  end Frame;

  model Rod "a rod with its mass spread evenly, and a frame at each end"
    Frame a, b;
    parameter Real m(unit = "kg") = 1, L(unit = "m") = 1, g(unit = "m/s2") = 9.81;
    Real x(unit = "m"), y(unit = "m"), phi(unit = "rad"), vx(unit = "m/s"), vy(unit = "m/s"), w(unit = "rad/s");
    Real E(unit = "J") "energy";
  protected
    parameter Real J = m*L^2/12;
  equation
    vx = der(x);
    vy = der(y);
    w = der(phi);
    a.x = x - L/2*cos(phi);
    a.y = y - L/2*sin(phi);
    a.phi = phi;
    b.x = x + L/2*cos(phi);
    b.y = y + L/2*sin(phi);
    b.phi = phi;
    m*der(vx) = a.fx + b.fx;
    m*der(vy) = a.fy + b.fy - m*g;
    J*der(w) = a.t + b.t + (a.x - x)*a.fy - (a.y - y)*a.fx + (b.x - x)*b.fy - (b.y - y)*b.fx;
    E = m*(vx^2 + vy^2)/2 + J*w^2/2 + m*g*y;
  end Rod;

  model Pin "two bodies turn about one point"
    Frame a, b;
  equation
    a.x = b.x;
    a.y = b.y;
    a.fx + b.fx = 0;
    a.fy + b.fy = 0;
    a.t = 0;
    b.t = 0;
  end Pin;

  model Slider "a mass that slides along the x axis and does not turn"
    Frame a;
    parameter Real m(unit = "kg") = 1;
    Real s(unit = "m"), v(unit = "m/s"), E(unit = "J") "energy";
  equation
    a.x = s;
    a.y = 0;
    a.phi = 0;
    v = der(s);
    m*der(v) = a.fx;
    E = m*v^2/2;
  end Slider;

  model Ground "a point that rests"
    Frame b;
    parameter Real x(unit = "m") = 0, y(unit = "m") = 0;
  equation
    b.x = x;
    b.y = y;
    b.phi = 0;
  end Ground;

  model Piston "crank, rod and slider: goes through both dead points"
    Rod crank(L = 0.5, m = 2, phi(start = 0.3, fixed = true), w(start = 6, fixed = true)), rod(L = 1.2, phi(start = 0));
    Slider piston(m = 0.5);
    Ground ground;
    Pin bearing, knee, bolt;
    Real E(unit = "J") = crank.E + rod.E + piston.E "energy: stays";
  equation
    connect(ground.b, bearing.a);
    connect(bearing.b, crank.a);
    connect(crank.b, knee.a);
    connect(knee.b, rod.a);
    connect(rod.b, bolt.a);
    connect(bolt.b, piston.a);
    annotation(experiment(StopTime = 5));
  end Piston;

  model FourBar "a crank turns, a rocker swings"
    Rod crank(L = 0.5, phi(start = 0.3, fixed = true), w(start = 9, fixed = true)), coupler(L = 2, phi(start = 0.5)),
      rocker(L = 1.2, phi(start = -1.5));
    Ground left, right(x = 2.2);
    Pin p1, p2, p3, p4;
    Real E(unit = "J") = crank.E + coupler.E + rocker.E "energy: stays";
  equation
    connect(left.b, p1.a);
    connect(p1.b, crank.a);
    connect(crank.b, p2.a);
    connect(p2.b, coupler.a);
    connect(coupler.b, p3.a);
    connect(p3.b, rocker.a);
    connect(rocker.b, p4.a);
    connect(p4.b, right.b);
    annotation(experiment(StopTime = 5));
  end FourBar;
end RigidLoops;
