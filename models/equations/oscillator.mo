model Oscillator "a mass on a spring"
  parameter Real m(unit = "kg") = 2 "mass";
  parameter Real c(unit = "N/m") = 50 "stiffness";
  Real s(unit = "m", start = 0.1) "position", v(unit = "m/s", start = 0) "velocity";
equation
  der(s) = v;
  m*der(v) = -c*s;
  annotation(experiment(StopTime = 5));
end Oscillator;
