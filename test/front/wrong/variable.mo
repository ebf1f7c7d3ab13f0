model M
  Real x;
end M;
// error 2: 'x' is a variable, which needs equations
