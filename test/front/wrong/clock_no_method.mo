model M
  Real x(start = 1), u;
equation
  u = sample(time, Clock(0.1));
  der(x) = u - x;
end M;
// error 2: 'x' has a derivative in a clocked partition, whose clock has no solver method
