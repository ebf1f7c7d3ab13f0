model M
  function f input Real x; input Real y; output Real z=x^2*y; algorithm end f;
    function fx=der(f,x); function fxy=der(f,x,y); Real a=fx(3,time), b=fxy(3,4);
end M;
// a(0.37) = 2.2199999999999998
// a = 6.0
// b = 6.0
