model A
  Dialectic.Planar.Fixed fixed;
end A;
model M
  extends A(break fixed);
end M;
// error 5: break in a modifier is not supported yet
