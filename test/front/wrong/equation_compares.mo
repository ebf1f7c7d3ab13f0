model M
  Real x;
equation
  x == 1;
end M;
// error 4: expected '=' in the equation, found ';'
// advice '==' compares
