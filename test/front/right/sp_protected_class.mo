package A
  model B protected parameter Real x; end B; protected model C Real z=3; end C; public
  model D C c; extends A.B(x=2); Real y=x; end D;
end A;
// class A.D
// y = 2.0
// c.z = 3.0
