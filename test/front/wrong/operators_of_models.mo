package P
  function f
    input Real x;
    output Real y;
  algorithm
    y := der(x);
    y := y + (if sample(0, 1) then 1 else 0);
  end f;
  model M
    Real x = f(time);
    Real y = smooth(time, 1);
    Real z = homotopy(time);
  end M;
end P;
// class P.M
// error 6: 'der' cannot be used in a function
// error 11: smooth does not fit its arguments
// error 12: 'homotopy' has 2 argument(s), not 1
