model M
  Dialectic.Examples.Chain chain(n = 0);
  Dialectic.Examples.Chain other(n = 1.5);
end M;
// error 2: n = 0 must be at least 1
// error 3: n is of type Integer, but the value is of type Real
