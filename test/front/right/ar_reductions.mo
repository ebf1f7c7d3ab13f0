model M
  parameter Real v[4] = {3,1,4,2}; Real a = max(v); Real b = min(v); Real c = sum(v);
    Real d = product(v); Real f = max(x^2 for x in v); Real g = sum(i*j for i in 1:3, j in 1:2);
    Real h[3] = {i^2 for i in 1:3}; Real k[2,3] = {i+10*j for i in 1:3, j in 1:2};
    Real l = min(abs(x-2.5) for x in v); Real m = sum([1,2;3,4]); Real n = max([1,2;3,4]);
    Real o = product(i for i in 1:0); Real p = sum(x for x in fill(1.0,0));
end M;
// a = 4.0
// b = 1.0
// c = 10.0
// d = 24.0
// f = 16.0
// g = 18.0
// h[3] = 9.0
// k[2,3] = 23.0
// l = 0.5
// m = 10.0
// n = 4.0
// o = 1.0
// p = 0.0
