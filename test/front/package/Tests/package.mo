within Lib;
package Tests
  model Swing
    Dialectic.Planar.Fixed fixed;
    Dialectic.Planar.Revolute joint;
    replaceable Parts.Rod rod;
  equation
    connect(fixed.frame, joint.frame_a);
    connect(joint.frame_b, rod.frame_a);
  end Swing;
end Tests;
