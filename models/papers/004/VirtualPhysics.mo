package VirtualPhysics "The listings of lecture 004 as text: holonomic constraints, dry friction"

  function S_Func "an S from (x_min, y_min) to (x_max, y_max), constant beyond"
    input Real x_min;
    input Real x_max;
    input Real y_min;
    input Real y_max;
    input Real x;
    output Real y;
  protected
    Real x2;
  algorithm
    x2 := x - x_max/2 - x_min/2;
    x2 := x2*2/(x_max - x_min);
    if x2 > 1 then
      y := 1;
    elseif x2 < -1 then
      y := -1;
    else
      y := -0.5*x2^3 + 1.5*x2;
    end if;
    y := y*(y_max - y_min)/2;
    y := y + y_max/2 + y_min/2;
    annotation(smoothOrder = 1);
  end S_Func;

  function TripleS_Func "point-symmetric: up to (x_max, y_max), then down to (x_sat, y_sat)"
    input Real x_max;
    input Real x_sat;
    input Real y_max;
    input Real y_sat;
    input Real x;
    output Real y;
  algorithm
    if x > x_max then
      y := S_Func(x_max, x_sat, y_max, y_sat, x);
    elseif x < -x_max then
      y := S_Func(-x_max, -x_sat, -y_max, -y_sat, x);
    else
      y := S_Func(-x_max, x_max, -y_max, y_max, x);
    end if;
    annotation(smoothOrder = 1);
  end TripleS_Func;

  connector Flange "classical: positions are the potentials"
    Real s(unit = "m");
    flow Real f(unit = "N");
  end Flange;

  partial model PartialCompliantWithRelativeStates "a force between two flanges, with the relative motion"
    Flange flange_a, flange_b;
    Real s_rel(unit = "m", start = 0, stateSelect = StateSelect.prefer);
    Real v_rel(unit = "m/s", start = 0, stateSelect = StateSelect.prefer);
    Real f(unit = "N");
  equation
    s_rel = flange_b.s - flange_a.s;
    v_rel = der(s_rel);
    flange_b.f = f;
    flange_a.f = -f;
  end PartialCompliantWithRelativeStates;

  model DryFriction
    extends PartialCompliantWithRelativeStates;
    parameter Real N(unit = "N") "normal force";
    parameter Real vAdhesion(unit = "m/s") "adhesion velocity";
    parameter Real vSlide(unit = "m/s") "sliding velocity";
    parameter Real mu_A "friction coefficient at adhesion";
    parameter Real mu_S "friction coefficient at sliding";
  equation
    f = N*TripleS_Func(vAdhesion, vSlide, mu_A, mu_S, v_rel);
  end DryFriction;

  model Mass
    Flange flange;
    parameter Real m(unit = "kg");
    Real s(unit = "m", start = 0), v(unit = "m/s", start = 0);
  equation
    s = flange.s;
    v = der(s);
    m*der(v) = flange.f;
  end Mass;

  model Fixed
    Flange flange;
  equation
    flange.s = 0;
  end Fixed;

  model SlidingMass "a mass comes to rest on dry friction"
    Fixed ground;
    Mass mass(m = 2);
    DryFriction friction(N = 2*9.81, vAdhesion = 1e-3, vSlide = 2e-3, mu_A = 0.45, mu_S = 0.3, v_rel(start = 3, fixed = true), s_rel(start = 0, fixed = true));
  equation
    connect(ground.flange, friction.flange_a);
    connect(friction.flange_b, mass.flange);
    annotation(experiment(StopTime = 1.5, Interval = 0.003, Tolerance = 1e-8));
  end SlidingMass;

  partial model TwoSprings "two masses on springs, whose positions a constraint binds: s1 = |s2| s2"
    Real s1;
    Real s2(start = 0);
    Real v1;
    Real v2(start = 0);
    Real f;
    parameter Real m1 = 10;
    parameter Real m2 = 2;
    Real s1_int;
    Real s2_int;
  equation
    v1 = der(s1);
    v2 = der(s2);
    -1*s1 + f = m1*der(v1);
    -20*(s2 - 5) - f*abs(s2_int)*2 = m2*der(v2);
  end TwoSprings;

  model TwoSpringsWithConstraint "the constraint in the positions themselves"
    extends TwoSprings;
  equation
    s1 = s1_int;
    s2 = s2_int;
    s1_int = abs(s2_int)*s2_int;
    annotation(experiment(StopTime = 20, Interval = 0.02, Tolerance = 1e-8));
  end TwoSpringsWithConstraint;

  model TwoSpringsWithVelocities "the constraint in integrals of the velocities: the lecture shows how the positions drift apart"
    extends TwoSprings(s2_int(start = 0), s1(start = 0));
  equation
    v1 = der(s1_int);
    v2 = der(s2_int);
    s1_int = abs(s2_int)*s2_int;
    annotation(experiment(StopTime = 20, Interval = 0.02, Tolerance = 1e-8));
  end TwoSpringsWithVelocities;
end VirtualPhysics;
