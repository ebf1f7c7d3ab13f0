model M
  parameter Real m = 1;
  parameter Integer m = 2;
end M;
// error 3: 'm' is declared twice
