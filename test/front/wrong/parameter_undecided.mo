model M
  parameter Real m(fixed = false);
  Real x = m;
end M;
// error 2: nothing decides the parameter 'm'
