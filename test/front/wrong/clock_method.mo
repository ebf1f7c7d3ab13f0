model M
  Real x(start = 1), u;
equation
  u = sample(time, Clock(Clock(0.1), "ExplicitRungeKutta4"));
  der(x) = u - x;
end M;
// error 2: 'x' has a derivative in a clocked partition, and the method ExplicitRungeKutta4
// advice use ExplicitEuler, ImplicitEuler or ImplicitTrapezoid
