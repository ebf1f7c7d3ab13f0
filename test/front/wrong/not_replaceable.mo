model A
  Dialectic.Planar.Body part;
end A;
model M
  A a(redeclare Dialectic.Planar.Revolute part);
end M;
// error 5: 'part' is not replaceable and cannot be redeclared
