package P
  package Types type Angle = Real(unit="rad"); type E = enumeration(a,b); end Types;
  constant Real g = 9.81; function f input Real x; output Real y = x*g; algorithm end f;
  model M import P.Types.*; Angle a = 2; E e = E.b; Real y = f(2); end M;
end P;
// class P.M
// y = 19.62
// e = 2.0
