package P
  function f input Real x; output Real y; algorithm y := x^3;
    annotation(inverse(x = missing(y))); end f;
  model M Real x; equation f(x) = time + 1; end M;
end P;
// error 3: there is no function 'missing'
// class P.M
