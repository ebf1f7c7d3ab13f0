package Stepper "A stepper motor with two phases follows its pulses, and loses steps when they come too fast"

  model Motor "A hybrid stepper: two coils a quarter of a tooth apart, v = R i + L der(i) - k w sin, tau = k i sin"
    parameter Real R(unit = "Ohm") = 2 "resistance of a coil", L(unit = "H") = 2e-3 "inductance of a coil";
    parameter Real k(unit = "N.m/A") = 0.25 "greatest torque per current";
    parameter Integer teeth = 50 "of the rotor: four steps for each";
    Dialectic.Rotational.Flange flange;
    Signals.RealInput va "voltage of the first coil in V", vb "and of the second";
    Real ia(unit = "A", start = 0), ib(unit = "A", start = 0);
  equation
    L*der(ia) = va - R*ia + k*flange.w*sin(teeth*flange.phi);
    L*der(ib) = vb - R*ib - k*flange.w*cos(teeth*flange.phi);
    flange.tau_el = -(-k*ia*sin(teeth*flange.phi) + k*ib*cos(teeth*flange.phi));
    flange.tau_ki = 0;
  end Motor;

  block Sequencer "full steps, both coils always: at each instant one of them changes its sign"
    parameter Real V(unit = "V") = 4 "voltage";
    parameter Real period(unit = "s") = 0.01 "from step to step";
    parameter Real startTime(unit = "s") = 0.1 "of the first step";
    parameter Integer count = 50 "number of steps";
    Signals.RealOutput va, vb;
    Integer n(start = 0, fixed = true) "steps that have been ordered";
  equation
    when sample(startTime, period) then
      n = min(pre(n) + 1, count);
    end when;
    va = if mod(n, 4) == 0 or mod(n, 4) == 3 then V else -V;
    vb = if mod(n, 4) < 2 then V else -V;
  end Sequencer;

  model Drive "Fifty steps of 1.8 degrees, one each 10 ms"
    inner Dialectic.World world(TD = 0);
    Sequencer sequencer;
    Motor motor;
    Dialectic.Rotational.Fixed housing;
    Dialectic.Rotational.Joint bearing(phi(start = 0.015707963267948967));
    Dialectic.Rotational.Inertia rotor(J = 5e-5);
    Dialectic.Rotational.Damper oil(d = 2e-2);
    Dialectic.Rotational.CoulombFriction friction(tau_Coulomb = 0.02);
  equation
    connect(sequencer.va, motor.va);
    connect(sequencer.vb, motor.vb);
    connect(housing.flange_b, bearing.flange_a);
    connect(bearing.flange_b, rotor.flange_a);
    connect(motor.flange, rotor.flange_a);
    connect(housing.flange_b, oil.flange_a);
    connect(oil.flange_b, rotor.flange_a);
    connect(housing.flange_b, friction.flange_a);
    connect(friction.flange_b, rotor.flange_a);
    annotation(experiment(StopTime = 0.8, Interval = 1e-3, Tolerance = 1e-6));
  end Drive;

  model TooFast "The same, ten times as fast: the rotor falls behind"
    extends Drive(sequencer(period = 1e-3));
  end TooFast;
end Stepper;
