model M
  Real a = 2 + 3*4^2/8 - (-1);
  Real b = -2^2; Real c = (2^3)^1; 
  Real d = -3*2; Real f = 8/4/2; Real g = 8/4*2; Real h = 2 - 3 - 4;
  Boolean p = not 1 > 2 and 3 >= 3 or false; Boolean q = true or true and false;
  Real k = if 1 < 2 then 3 else 4 + 5;
  Real l = +5; Real m = 1 - 2^2*3; Real n = 7 - 2*3 + 1;
end M;
// a = 9.0
// b = -4.0
// c = 8.0
// d = -6.0
// f = 1.0
// g = 4.0
// h = -5.0
// p = 1.0
// q = 1.0
// k = 3.0
// l = 5.0
// m = -11.0
// n = 2.0
