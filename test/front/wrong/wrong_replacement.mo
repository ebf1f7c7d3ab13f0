model A
  replaceable Dialectic.Planar.Revolute joint;
end A;
model M
  A a(redeclare Dialectic.Planar.Body joint);
end M;
// error 5: 'Body' cannot replace 'joint': it has no 'frame_b' as 'Revolute' requires
