partial model QuarterCarParts "Wheel and body of a quarter of a car; the height of the road under the wheel is to be connected"
  inner Dialectic.World world(TD = 0);
  Dialectic.Translational.Fixed ground;
  Dialectic.Translational.Joint bodyTravel(s(start = -0.17)), wheelTravel(s(start = -0.02));
  Dialectic.Translational.Body body(m = 300, g = -9.81), wheel(m = 40, g = -9.81);
  Dialectic.Translational.CubicSpring suspension(c = 18000, c3 = 1e5, d = 1500);
  Dialectic.Translational.SpringDamper tyre(c = 180000, d = 200);
  Dialectic.Translational.Position road(f_crit = 50) "its height under the wheel";
  Dialectic.Translational.AccelerationSensor comfort(T = 2e-3), harshness(T = 2e-3);
equation
  connect(ground.flange_b, bodyTravel.flange_a);
  connect(bodyTravel.flange_b, body.flange_a);
  connect(ground.flange_b, wheelTravel.flange_a);
  connect(wheelTravel.flange_b, wheel.flange_a);
  connect(wheel.flange_a, suspension.flange_a);
  connect(suspension.flange_b, body.flange_a);
  connect(road.flange, tyre.flange_a);
  connect(tyre.flange_b, wheel.flange_a);
  connect(body.flange_a, comfort.flange);
  connect(wheel.flange_a, harshness.flange);
end QuarterCarParts;

model QuarterCarOnRoad "The same car on a road from a file: heights over time at 10 m/s"
  extends QuarterCarParts;
  Signals.CsvInput profile(fileName = "road.csv", column = 2);
equation
  connect(profile.y, road.s_ref);
  annotation(experiment(StopTime = 5, Interval = 0.01));
end QuarterCarOnRoad;

model QuarterCar "Wheel and body of a car over a bump of 8 cm at 10 m/s"
  extends QuarterCarParts;
  Signals.TimeTable profile(table = {{0, 0}, {1, 0}, {1.05, 0.08}, {1.1, 0.08}, {1.15, 0}, {5, 0}}) "over time";
equation
  connect(profile.y, road.s_ref);
  annotation(experiment(StopTime = 4, Interval = 0.005));
end QuarterCar;
