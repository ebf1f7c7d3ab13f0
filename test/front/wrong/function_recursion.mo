model M
  function f
    input Real u;
    output Real y;
  algorithm
    y := f(u + 1);
  end f;
  parameter Real x = f(1);
end M;
// error 6: expressions depend on each other
