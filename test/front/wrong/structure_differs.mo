model A
  parameter Integer n = 1;
  Dialectic.Planar.Fixed fixed[n];
end A;
model M
  A a[2](n = {1, 2});
end M;
// error 3: the elements of an array would differ in structure
