package P
  model A
    outer Real g = 3;
    outer Integer n;
    Real x = g*n;
  end A;
  model M
    inner Real g = 2;
    inner Real n = 2;
    A a;
  end M;
end P;
// class P.M
// error 3: outer 'g' cannot have a value: it is the inner 'g' around it
// error 4: outer 'n' is of type Integer, the inner one (line 9) is not
