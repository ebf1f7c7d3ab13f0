model M
  Dialectic.Signals.RealInput u;
end M;
// error 2: there is no class 'Signals' in 'Dialectic'
// advice 'Signals' is no part of another package: leave out what stands before it
