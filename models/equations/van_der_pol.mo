model VanDerPol "oscillator whose damping depends on its position"
  parameter Real mu = 5;
  Real x(start = 2), y(start = 0);
equation
  der(x) = y;
  der(y) = mu*(1 - x^2)*y - x;
  annotation(experiment(StopTime = 20));
end VanDerPol;
