model M
  function f
    input Real u;
    output Real y;
  algorithm
    u := 2*u;
    y := u;
  end f;
  Real x = f(time);
end M;
// error 6: the input 'u' cannot be assigned
