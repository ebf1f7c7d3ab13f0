model M
  Real s(unit = "m", start = 0), v(unit = "m/s"), a(unit = "m/s2");
  Real p(unit = "W") = v*s;
equation
  der(s) = v;
  v = s;
  a = der(s) + s^2;
end M;
// warning 3: the left side has the unit "W", the right side "m2/s"
// warning 6: the left side has the unit "m/s", the right side "m"
// warning 7: '+' of the units "m/s" and "m2"
// warning 7: the left side has the unit "m/s2", the right side "m/s"
