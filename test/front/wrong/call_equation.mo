model M
  Real x(start = 1);
equation
  reinit(x, 2);
  der(x) = -x;
end M;
// error 4: reinit stands outside of a when-clause
