model M
  Real x;
  Real x;
equation
  x = 1;
end M;
// error 3: 'x' is declared twice
