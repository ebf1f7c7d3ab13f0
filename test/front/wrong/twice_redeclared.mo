package P
  package A constant Real c = 1; end A;
  package B extends A(c = 5); end B;
  partial model X replaceable package Medium = A; Real x = Medium.c; end X;
  partial model Y replaceable package Medium = A; Real y = Medium.c; end Y;
  model M extends X(redeclare package Medium = B); extends Y; end M;
end P;
// error 5: 'Medium' is declared twice, first at
// class P.M
