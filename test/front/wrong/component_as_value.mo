package P
  model A Real x = time; end A;
  model M A a; Real y = a + 1; Real z = A; end M;
end P;
// error 3: 'a' is a component, but a value is needed here
// error 3: 'A' is a class, but a value is needed here
// class P.M
