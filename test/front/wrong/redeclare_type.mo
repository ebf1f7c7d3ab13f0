package P
  model A Real x = time; end A;
  model B Real y = time; end B;
  model C replaceable A a; Real z = a.x; end C;
  model M C c(redeclare B a); end M;
end P;
// error 5: 'B' cannot replace 'a': it has no 'x' as 'A' requires
// class P.M
