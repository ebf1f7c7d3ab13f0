model M
  Real x, y, z;
equation
  x = sample(time, Clock(0.1));
  y = sample(time, Clock(1, 5));
  z = x + y;
end M;
// error 5: two clocks belong to the same equations: one of 0.1 s from 0 s on, and one of 0.2 s from 0 s on
// advice use subSample, superSample, shiftSample or hold and sample between them
