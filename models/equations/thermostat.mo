// A room whose heating is switched on below a temperature and off above another one.
model Thermostat "Two-point control with hysteresis"
  parameter Real low = 19 "Heating is switched on below";
  parameter Real high = 21 "Heating is switched off above";
  parameter Real outside = 5 "Temperature outside";
  parameter Real hot = 35 "What the heating would reach";
  parameter Real tau(unit = "s") = 600 "Time constant of the room";
  Real x(start = 15, fixed = true) "Temperature";
  Boolean on(start = false) "Heating";
  Integer switched(start = 0) "How often it was switched on";
equation
  tau*der(x) = (if on then hot else outside) - x;
  on = x < low or pre(on) and x <= high;
  when on then
    switched = pre(switched) + 1;
  end when;
  annotation(experiment(StopTime = 3600));
end Thermostat;
