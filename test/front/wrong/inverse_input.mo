package P
  function f input Real x; output Real y; algorithm y := x^3;
    annotation(inverse(z = g(y), x = missing(y))); end f;
  function g input Real y; output Real x; algorithm x := y^(1/3); end g;
  model M Real x; equation f(x) = time + 1; end M;
end P;
// error 3: 'z' is no input of 'f', an inverse gives one of its inputs
// class P.M
