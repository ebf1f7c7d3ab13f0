package P
  package A constant Real c = 1; end A;
  package B constant Real c = 2; end B;
  partial model X replaceable package Medium = A; end X;
  partial model Y replaceable package Medium = B; end Y;
  model M extends X; extends Y; Real y = Medium.c; end M;
end P;
// error 5: 'Medium' is declared twice, first at
// class P.M
