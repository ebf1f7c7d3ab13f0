model M
  parameter Real m(unit = "kg") = 1;
  parameter Real l(unit = "m") = 2;
  parameter Real s = m + l;
  parameter Real f(unit = "N") = m;
  parameter Boolean b = m > l;
end M;
// error 4: '+' of the units "kg" and "m"
// error 5: 'f' has the unit "N", but the value has the unit "kg"
// error 6: '>' of the units "kg" and "m"
