package Lib
  extends Lib.Icons.Package;
  package Icons
    partial package Package
      constant Integer version = 4;
    end Package;
    partial model Example end Example;
  end Icons;
  package Types
    extends Icons.Package;
    type Mass = Real(final quantity = "Mass", final unit = "kg", min = 0);
    type Length = Real(final unit = "m");
  end Types;
  package Interfaces
    partial model Rigid
      Dialectic.Planar.Frame frame_a "left";
      Dialectic.Planar.Frame frame_b "right";
    end Rigid;
  end Interfaces;
  package Medium
    replaceable partial model Part
      extends Interfaces.Rigid;
    end Part;
    constant Real rho = 1;
  end Medium;
  package Steel
    extends Medium(rho = 7.8);
    redeclare model Part
      extends Interfaces.Rigid;
      parameter Types.Length l = 1;
      parameter Types.Mass m = rho * l;
      Dialectic.Planar.FixedTranslation t(r = {l, 0});
      Dialectic.Planar.Body b(m = m);
    equation
      connect(frame_a, t.frame_a);
      connect(t.frame_b, frame_b);
      connect(t.frame_b, b.frame_a);
    end Part;
  end Steel;
  model Machine
    extends Icons.Example;
    replaceable package Material = Steel constrainedby Medium;
    Material.Part part(l = 2);
    Dialectic.Planar.Fixed fixed(r = {0, Material.rho});
    Dialectic.Planar.Revolute j;
  equation
    connect(fixed.frame, j.frame_a);
    connect(j.frame_b, part.frame_a);
  end Machine;
  model Test
    package Light = Steel(rho = 0.5);
    Machine m(redeclare package Material = Light);
    Machine k;
    parameter Integer v = Lib.version + Types.version;
    Signals.Constant c(k = v);
  end Test;
end Lib;
