model M
  parameter Real a(strat = 2) = 1;
end M;
// error 2: 'a' is of type Real, which has no attribute 'strat'
