model M
  function f input Real x; input Real k=1; output Real y=k*x^2; algorithm end f;
    Real a[3]=f({1,2,3}); Real b[2,2]=f([1,2;3,4],2); Real c[3]=sin({0,1,2});
    Real d[3]=f({1,2,3},{1,2,3}); Real g[3]=abs({-1,2,-3}); Real k[2] = atan2({1,1},{1,2}); 
end M;
// a[3] = 9.0
// b[2,2] = 32.0
// c[2] = 0.8414709848078965
// d[3] = 27.0
// g[3] = 3.0
// k[2] = 0.4636476090008061
