package Q
  package A package B constant Real c = 3; function f input Real x; output Real y = 2*x;
    algorithm end f; model D Real y = c; end D; end B; end A;
  package U import Q.A.B; import X = Q.A.B; import Q.A.B.{c, f}; import Q.A.*; 
    model M B.D d; X.D d2; Real y = c + f(1) + X.c; Real z = .Q.A.B.c; end M;
  end U;
end Q;
// class Q.U.M
// y = 8.0
// z = 3.0
// d.y = 3.0
// d2.y = 3.0
