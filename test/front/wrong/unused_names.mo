package P
  function f
    input Real x;
    output Real y;
  algorithm
    if x > 1 then
      y := first;
    else
      y := 1;
      return;
    end if;
    y := sum(k*second for k in 1:2);
  end f;
  model M
    parameter Boolean b = true;
    parameter Integer n = 0;
    Real x, z[n];
    Real y = f(0.5);
  equation
    if b then
      x = 1;
    else
      x = third;
    end if;
    for i in 1:n loop
      z[i] = i*fourth[i];
    end for;
    assert(b or time < fifth, "no");
  end M;
end P;
// class P.M
// warning 7: there is no 'first' here, in a part that is not used now
// warning 12: there is no 'second' here, in a part that is not used now
// warning 23: there is no 'third' here, in a part that is not used now
// warning 26: there is no 'fourth' here, in a part that is not used now
// warning 28: there is no 'fifth' here, in a part that is not used now
