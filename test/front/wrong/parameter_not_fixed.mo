model M
  parameter Real m(fixed = false, start = 1);
  Real x = m;
end M;
// error 2: nothing decides 'm'
// error 2: 'm' has fixed = false
