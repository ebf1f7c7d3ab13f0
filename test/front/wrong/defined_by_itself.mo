type A = B;
type B = A;
model M
  parameter A x = 1;
end M;
// error 4: is defined by itself
