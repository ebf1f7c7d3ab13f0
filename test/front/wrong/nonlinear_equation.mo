model M
  Real x;
equation
  x + sin(x) = time;
end M;
// error 4: they are not linear in them
