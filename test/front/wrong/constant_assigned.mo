model M
  constant Real c = 1;
  parameter Real p = 2;
  Real x;
equation
  c = 2;
  p = 3*time;
  x = time;
end M;
// error 6: there are too many equations for the variables in them: this one is left over
// error 7: there are too many equations for the variables in them: this one is left over
