package P function f input Real x; output Real y=x*P.k; algorithm end f; constant Real k=4;
  package In function f input Real x; output Real y = 1+P.f(x); algorithm end f; end In;
  model M Real a=In.f(2); Real b=.P.In.f(1); end M; end P;
// class P.M
// a = 9.0
// b = 5.0
