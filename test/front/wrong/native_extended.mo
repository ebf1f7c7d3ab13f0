model Own
  extends Dialectic.Planar.Body(m = 2);
  Dialectic.Planar.Revolute joint;
end Own;
model M
  Own own;
end M;
// error 3: 'joint' cannot be added to the native class 'Planar.Body'
