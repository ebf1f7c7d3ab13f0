package P
  model A Real x = time; parameter Real k = 2; end A;
  model M A a(j = 3, x(strat = 1)); end M;
end P;
// error 3: 'A' has no element 'j' that could be modified
// error 3: 'x' is of type Real, which has no attribute 'strat'
// class P.M
