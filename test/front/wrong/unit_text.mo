model M
  parameter Real k(unit = "m/") = 1;
  Real x(unit = "kg m") = k*time;
  Real y(unit = "l/(h.m2)", displayUnit = "m/s/s") = 1;
  Real z(unit = "m3.kg-1/s2") = 1;
end M;
// warning 2: the unit "m/" of 'k' is not written as a unit
// warning 3: the unit "kg m" of 'x' is not written as a unit
// warning 4: the displayUnit "m/s/s" of 'y' is not written as a unit
