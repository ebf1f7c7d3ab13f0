package P
  function f input Real u; output Real a; output Real b; algorithm a := u; b := 2*u; end f;
  model M
    Real x, y, z;
  equation
    (x, y, z) = f(time);
  end M;
end P;
// error 6: function 'f' has 2 output(s), but 3 are asked for
// class P.M
