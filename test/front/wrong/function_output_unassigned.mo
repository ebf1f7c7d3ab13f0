model M
  function f
    input Real u;
    output Real y;
  algorithm
    if u > 0 then
      y := u;
    end if;
  end f;
  Real x = f(time);
  parameter Real p = f(-1);
end M;
// error 11: function 'f' has given no value to its output 'y'
