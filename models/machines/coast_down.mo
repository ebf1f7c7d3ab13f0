model CoastDown "A car of 1.2 t rolls out from 30 m/s: quadratic drag and rolling resistance"
  inner Dialectic.World world(TD = 0);
  parameter Real m(unit = "kg") = 1200;
  parameter Real k(unit = "N.s2/m2") = 0.4 "rho cw A / 2";
  parameter Real rolling(unit = "N") = 150;
  Dialectic.Translational.Fixed road;
  Dialectic.Translational.Joint travel(v(start = 30));
  Dialectic.Translational.Body car(m = m, g = 0);
  Dialectic.Translational.QuadraticDrag drag(k = k);
  Dialectic.Translational.DryFriction tyres(N = rolling, mu_A = 1, mu_S = 1, vAdhesion = 1e-3, vSlide = 2e-3);
equation
  connect(road.flange_b, travel.flange_a);
  connect(travel.flange_b, car.flange_a);
  connect(car.flange_a, drag.flange);
  connect(road.flange_b, tyres.flange_a);
  connect(tyres.flange_b, car.flange_a);
  annotation(experiment(StopTime = 120, Interval = 0.5, Tolerance = 1e-8));
end CoastDown;
