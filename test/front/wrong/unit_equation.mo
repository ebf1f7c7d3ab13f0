model M
  parameter Real m(unit = "kg") = 2;
  Real s(unit = "m", start = 0), v(unit = "m/s", start = 1), f(unit = "N"), e(unit = "J");
equation
  der(s) = v;
  m*der(v) = f;
  f = -3*s;
  e = m*v^2/2 + f*s;
  assert(s < v, "s");
  assert(e > m*v, "e");
end M;
// warning 9: '<' of the units "m" and "m/s"
// warning 10: '>' of the units "J" and "m.kg/s"
