model M
  Integer a = div(-7, 2); Integer b = mod(-7, 2); Integer c = rem(-7, 2); Integer d = div(7,-2);
    Integer f = mod(7,-2); Integer g = rem(7,-2);
  Real h = mod(-3.5, 2); Real i = rem(-3.5, 2); Real j = div(-3.5, 2);
    Integer k = integer(-3.5); Real l = floor(-3.5); Real m = ceil(-3.5);
  Integer n = integer(3.999); Real o = 7/2; Real p = mod(3.5, -2); Integer q = abs(-4);
    Real r = sign(-2.5); Integer s = sign(-3);
end M;
// a = -3.0
// b = 1.0
// c = -1.0
// d = -3.0
// f = -1.0
// g = 1.0
// h = 0.5
// i = -1.5
// j = -1.0
// k = -4.0
// l = -4.0
// m = -3.0
// n = 3.0
// o = 3.5
// p = -0.5
// q = 4.0
// r = -1.0
// s = -1.0
