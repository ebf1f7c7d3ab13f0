within Lieder.Examples;
model Oscillator "mass, spring and damper"
  parameter Real m(unit = "kg", min = 0) = 1.5 "mass";
  parameter Real c = 1e3, d(final start = .5) = 2.;
  Real x(start = 1, fixed = true), v;
initial equation
  v = 0;
equation
  der(x) = v;
  m*der(v) + d*v + c*x = 0 "Newton";
  when x < 0 and not pre(v) <= 0 then
    reinit(v, -0.9*pre(v));
  elsewhen time > 5 then
    terminate("done");
  end when;
  annotation (experiment(StopTime = 10, Interval = 1e-2));
end Oscillator;
