model M
  Real x;
initial equation
  x = 3;
equation
  x = sample(time, Clock(0.1));
end M;
// error 4: 'x' is clocked and stands in an initial equation
// advice give it a start value
