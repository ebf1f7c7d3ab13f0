package P
  model A
    Dialectic.Planar.Fixed fixed;
    Dialectic.Planar.Revolute joint;
    Dialectic.Planar.Body body(m = 1, I = 1);
    parameter Real k = 2;
    Real y = k*time;
    model Inside
    end Inside;
  equation
    connect(fixed.frame, joint.frame_a);
    connect(joint.frame_b, body.frame_a);
  end A;
  model M
    extends A(break fixd, break Inside, break k,
      break connect(joint.frame_b, fixed.frame),
      break connect(body.frame_a, joint.frame_b));
  end M;
end P;
// class P.M
// error 15: 'M' has no element 'fixd' that could be left out
// error 15: 'Inside' is a class, and only components and connections can be left out
// error 7: 'k' is left out by 'break' in an extends clause
// error 16: no connection reads like this one, which is to be left out
