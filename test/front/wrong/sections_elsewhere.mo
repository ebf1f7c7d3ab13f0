package P
  record R
    Real x;
  equation
    x = 1;
  end R;
  connector C
    Real v;
    flow Real i;
  algorithm
    v := 1;
  end C;
  function f
    input Real x;
    output Real y;
  equation
    y = 2*x;
  end f;
equation
  1 = 1;
end P;
// error 4: a record has no equations
// error 10: a connector has no algorithm
// error 16: a function has no equations
// advice it computes in order: write 'algorithm' here, and y := ... below
// error 19: a package has no equations
