// A controller that looks at its plant ten times a second and holds its answer in between.
model SampledControl "PI controller in discrete time, first-order plant"
  parameter Real T(unit = "s") = 0.1 "Sampling interval";
  parameter Real kp = 2 "Gain";
  parameter Real ki(unit = "1/s") = 3 "Gain of the integral";
  parameter Real r = 1 "What y shall be";
  Real y(start = 0, fixed = true) "Output of the plant";
  discrete Real u(start = 0) "Output of the controller";
  discrete Real s(start = 0) "Sum of the errors";
equation
  der(y) = -y + u;
  when sample(0, T) then
    s = pre(s) + T*(r - y);
    u = kp*(r - y) + ki*s;
  end when;
  annotation(experiment(StopTime = 5));
end SampledControl;
