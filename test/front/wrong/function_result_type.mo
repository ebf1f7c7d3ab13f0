model M
  function f
    input Real u;
    output Integer n;
  algorithm
    n := 2*u;
  end f;
  Real x = f(time);
end M;
// error 6: 'n' is of type Integer, but the value is of type Real
