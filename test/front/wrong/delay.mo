model M
  parameter Real T = -1;
  Real x(start = 1), y, z, w;
equation
  der(x) = -x;
  y = delay(x, T);
  z = delay(x, x);
  w = delay(x);
end M;
// error 6: the time of a delay is -1
// error 7: the time of this delay varies
// error 8: delay has two or three arguments
