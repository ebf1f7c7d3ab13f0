package DriveTrain "classical drive train with connectors of its own: solved as one system, index reduced"
  connector Flange
    Real phi(unit = "rad");
    flow Real tau(unit = "N.m");
  end Flange;

  model Inertia
    Flange a, b;
    parameter Real J(unit = "kg.m2");
    Real phi(unit = "rad"), w(unit = "rad/s");
  equation
    phi = a.phi;
    phi = b.phi;
    w = der(phi);
    J*der(w) = a.tau + b.tau;
  end Inertia;

  model Gear
    Flange a, b;
    parameter Real ratio = 1;
  equation
    a.phi = ratio*b.phi;
    0 = ratio*a.tau + b.tau;
  end Gear;

  model SpringDamper
    Flange a, b;
    parameter Real c(unit = "N.m/rad"), d(unit = "N.m.s/rad") = 0;
    Real phi_rel(unit = "rad") = b.phi - a.phi;
  equation
    b.tau = c*phi_rel + d*der(phi_rel);
    a.tau = -b.tau;
  end SpringDamper;

  model Ground
    Flange a;
  equation
    a.phi = 0;
  end Ground;

  model Train "two inertias on a gear have one angle: two states"
    Inertia J1(J = 2, phi(start = 0.5)), J2(J = 5);
    Gear gear(ratio = 2);
    SpringDamper spring(c = 10);
    Ground ground;
    Real E(unit = "J") = 0.5*J1.J*J1.w^2 + 0.5*J2.J*J2.w^2 + 0.5*spring.c*spring.phi_rel^2 "energy";
  equation
    connect(J1.b, gear.a);
    connect(gear.b, J2.a);
    connect(J2.b, spring.a);
    connect(spring.b, ground.a);
    annotation(experiment(StopTime = 10));
  end Train;
end DriveTrain;
