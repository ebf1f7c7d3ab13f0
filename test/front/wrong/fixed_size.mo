model M
  parameter Real n = 2.5;
  Real x[n] = {1, 2};
  Real y[:];
  Real z[-1];
equation
  y = {time};
end M;
// error 3: a size must be an Integer, this is of type Real
// error 4: 'y' has no size
// error 5: -1 is no size of an array
// error 7: 'y' has no size
