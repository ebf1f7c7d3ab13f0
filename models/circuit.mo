model Circuit "Switching RLC circuit with a diode (paper 002, case 2)"
  parameter Real Vforward(unit = "V") = 0 "forward voltage of the diode";
  Electrical.SineVoltage source(V = 5, f = 0.15e6);
  Electrical.Inductor coil(L = 25.3e-6);
  Electrical.Capacitor capacitor(C = 100e-9);
  Electrical.Resistor R1(R = 1000);
  Electrical.Resistor R2(R = 20);
  Electrical.IdealDiode diode(Vforward = Vforward);
  Electrical.Ground ground;
equation
  connect(source.n, ground.p);
  connect(source.p, coil.p);
  connect(coil.n, capacitor.p);
  connect(capacitor.n, ground.p);
  connect(R1.p, capacitor.p);
  connect(R1.n, ground.p);
  connect(diode.n, capacitor.p);
  connect(diode.p, R2.n);
  connect(R2.p, ground.p);
  annotation(experiment(StopTime = 1e-4, Interval = 1e-6, Tolerance = 1e-8));
end Circuit;
