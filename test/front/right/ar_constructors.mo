model M
  Real a[3] = {1,2,3}; Real b[2,2] = {{1,2},{3,4}}; Real c[2,3] = [1,2,3;4,5,6];
    Real d[1,3] = [1,2,3]; Real f[3,1] = [1;2;3]; Real g[2,4] = [b,b]; Real h[4,2] = [b;b];
    Real i[3,2] = [a,a]; Real j[:] = linspace(0,1,5); Real k[2,2] = identity(2);
    Real l[3,3] = diagonal(a); Real m[2,2,2] = fill(7,2,2,2); Real n[2,3]=zeros(2,3);
    Real o[2] = ones(2); Real p[3,2] = transpose(c); Real q[6] = cat(1,a,{4,5,6});
    Real r[2,5] = cat(2,b,c); Real s[3,3] = outerProduct(a,a);
    Real t[3] = cross({1,0,0},{0,1,0}); Real u[3,3] = skew(a); Real v[3,3] = symmetric([1,2,3;
    0,4,5;0,0,6]); Real w = product({2,3,4}); Real x[3] = vector([1;2;3]); Real y = scalar([5]);
    Real z[3,1]=matrix(a); Integer nd = ndims(m); Integer sz[3] = size(m);
end M;
// d[1,3] = 3.0
// f[3,1] = 3.0
// g[2,4] = 4.0
// h[4,1] = 3.0
// i[3,2] = 3.0
// j[4] = 0.75
// k[2,2] = 1.0
// l[2,2] = 2.0
// l[1,2] = 0.0
// m[2,2,2] = 7.0
// p[3,1] = 3.0
// q[6] = 6.0
// r[2,5] = 6.0
// s[3,2] = 6.0
// t[3] = 1.0
// u[1,2] = -3.0
// v[3,1] = 3.0
// w = 24.0
// x[2] = 2.0
// y = 5.0
// z[2,1] = 2.0
// nd = 3.0
// sz[3] = 2.0
