model M
  Real x(start = "one", fixed = 1);
  Integer n(start = 1.5);
  Real y(min = true, stateSelect = 3);
equation
  der(x) = 1;
  n = 2;
  y = time;
end M;
// error 2: attribute start of 'x' must be of type Real, not String
// error 2: attribute fixed of 'x' must be of type Boolean, not Integer
// error 3: attribute start of 'n' must be of type Integer, not Real
// error 4: attribute min of 'y' must be of type Real, not Boolean
// error 4: attribute stateSelect of 'y' must be a literal of StateSelect, not of type Integer
