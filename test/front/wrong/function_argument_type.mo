model M
  function f
    input Real u[2];
    output Real y;
  algorithm
    y := sum(u);
  end f;
  Real a = f({1, 2, 3}*time);
  Real b = f("text");
  Real c = f(true);
end M;
// error 8: 'u' has 2 elements in dimension 1, the value has the sizes [3]
// error 9: 'u' has 1 dimension(s), the value has 0
// error 10: 'u' has 1 dimension(s), the value has 0
