package Dialectic

  // Functions that classes of several packages share.

  function S_Func "y = -x^3/2 + 3x/2, stretched from (x0, y0) to (x1, y1) and constant beyond: paper 004"
    input Real x0, x1, y0, y1, x;
    output Real y;
  protected
    Real q;
  algorithm
    q := min(max((x - 0.5*(x0 + x1))*2/(x1 - x0), -1), 1);
    y := 0.5*(y0 + y1) + 0.5*(y1 - y0)*(q*(1.5 - 0.5*q*q));
  end S_Func;

  function TripleS_Func "point-symmetric: up to (x_max, y_max), then down to (x_sat, y_sat)"
    input Real x_max, x_sat, y_max, y_sat, x;
    output Real y;
  protected
    Real u = abs(x);
  algorithm
    y := (if x < 0 then -1 else 1)*(if u > x_max then S_Func(x_max, x_sat, y_max, y_sat, u) else S_Func(-x_max, x_max, -y_max, y_max, u));
  end TripleS_Func;
end Dialectic;
