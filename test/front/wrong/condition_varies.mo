model M
  Real t = time;
  Real x = 1 if t > 0.5;
end M;
// error 3: 't' is a variable, but a parameter is needed here
