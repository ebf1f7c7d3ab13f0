package P
  function f input Real x; input Real y; output Real z; algorithm z := x*y;
    annotation(derivative = df); end f;
  function df input Real x, y, dx; output Real z; algorithm z := y*dx; end df;
  model M Real a = der(f(time, time)); end M;
end P;
// error 3: 'df' has 3 input(s), as the derivative of 'f' it has 4
// class P.M
