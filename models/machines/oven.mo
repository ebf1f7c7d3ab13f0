model Oven "An oven heated electrically: its temperature follows a set point, the power is limited"
  parameter Real T_set(unit = "K") = 450;
  Thermal.HeatCapacitor chamber(C = 2000), wall(C = 20000);
  Thermal.ThermalConductor inside(G = 15), outside(G = 3);
  Thermal.FixedTemperature room(T = 293.15);
  Thermal.PrescribedHeatFlow heater;
  Thermal.TemperatureSensor thermometer;
  Signals.Constant setPoint(k = T_set);
  Signals.LimPID controller(k = 20, Ti = 600, Td = 0, yMax = 2000, yMin = 0);
equation
  connect(heater.port, chamber.port);
  connect(chamber.port, inside.port_a);
  connect(inside.port_b, wall.port);
  connect(wall.port, outside.port_a);
  connect(outside.port_b, room.port);
  connect(thermometer.port, chamber.port);
  connect(setPoint.y, controller.u_s);
  connect(thermometer.y, controller.u_m);
  connect(controller.y, heater.Q_flow);
  annotation(experiment(StopTime = 20000, Interval = 50));
end Oven;
