model M
  parameter Real m(fixed = false, start = 1);
end M;
// error 2: a parameter with fixed = false is not supported yet
