package P
  function f input Real x; output Real z; algorithm z := x^2;
    annotation(derivative = g); end f;
  model M Real a = der(f(time)); end M;
end P;
// error 3: there is no class 'g'
// class P.M
