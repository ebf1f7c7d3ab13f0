model D2
  Real x(start=1), y = sample(time, Clock(Clock(0.1), "ImplicitEuler"));
equation
  der(der(x)) = y;
end D2;
// error 2: 'x' is clocked and has a second derivative
