package P
  function f input Real x; output Real y; algorithm y := if x > 0 then x^2 else 0;
    annotation(smoothOrder = 1); end f;
  function g input Real x; output Real y; algorithm y := x^2;
    annotation(smoothOrder = 5); end g;
  model M Real x(start = 1), v, a, b = der(f(time)), c = der(der(f(2*time))), d = der(der(g(x)));
  equation der(x) = v; der(v) = a;
    x = f(1 + time);
  end M;
end P;
// warning 6: 'f' is differentiated 2 time(s), its smoothOrder is 1: the derivative may jump
// warning 8: 'f' is differentiated 2 time(s), its smoothOrder is 1: the derivative may jump
// class P.M
