function f
  input Real u;
  output Real y;
algorithm
  y := hold(u);
end f;
model M
  Real x = f(time);
end M;
// error 5: 'hold' cannot be used in a function
