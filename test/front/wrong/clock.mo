model M
  Clock c = Clock(0.1);
  Real u = time, y;
equation
  y = sample(u, c);
end M;
// error 2: clocks (Modelica 16, synchronous language elements) are not supported
// error 5: sample needs numbers that do not change
