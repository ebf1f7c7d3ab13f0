model M
  function f
    input Real x;
    output Real y;
  algorithm
    y := f(x + 1);
  end f;
  parameter Real a = f(1);
end M;
// error 6: expressions depend on each other more than
