model M
 model A parameter Real k=1; Real y=k; end A; model B extends A(k=5); Real z=y; end B;
   model S parameter Integer n=2; replaceable A a[n](k={10*i for i in 1:n}) constrainedby A;
   end S; S s(n=3); S t(redeclare B a[2](k={7,8})); S u(redeclare B a);
end M;
// s.a[3].y = 30.0
// t.a[2].z = 8.0
// u.a[2].y = 5.0
