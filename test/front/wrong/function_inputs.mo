model M
  function f
    input Real x;
    output Real y;
  algorithm
    y := 2 * x;
  end f;
  parameter Real a = f(1, 2);
  parameter Real b = f();
  parameter Real c = f(z = 1);
end M;
// error 8: function 'f' has 1 input(s), but 2 are given
// error 9: function 'f' needs its input 'x'
// error 10: function 'f' has no input 'z'
