model M
  parameter Real mass(unit = "kg") = 2;
  parameter Real l(unit = "m") = 1;
  Dialectic.Translational.Body body(m = l);
  parameter Real x = mass + l;
  parameter Real f(unit = "N") = mass;
end M;
// error 4: 'm' has the unit "kg", but the value has the unit "m"
// error 5: '+' of the units "kg" and "m"
// error 6: 'f' has the unit "N", but the value has the unit "kg"
