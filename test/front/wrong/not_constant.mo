package P
  parameter Real g = 9;
  model M
    Dialectic.Translational.Body body(g = g0);
    parameter Real g0 = P.g;
  end M;
end P;
// error 2: 'g' is no constant, but a package has constants and classes alone
// error 5: 'g' is not a constant
