package Dialectic

  package Planar

    function disc "corners of a disc: its radius is that of the contact"
      output Real corners[1, 2] = [0, 0];
    end disc;

    function capsule "corners of a capsule along x: l from centre to centre of its round ends"
      input Real l(unit = "m");
      output Real corners[2, 2] = [-l/2, 0; l/2, 0];
    end capsule;

    function box "corners of a rectangle about the origin"
      input Real width(unit = "m") "along x", height(unit = "m") "along y";
      output Real corners[4, 2] = [-width/2, -height/2; width/2, -height/2; width/2, height/2; -width/2, height/2];
    end box;

    function regularPolygon "corners of a polygon with equal sides, the first one on the x axis"
      input Integer n(min = 3) "number of corners";
      input Real R(unit = "m") "from the centre to a corner";
      output Real corners[n, 2];
    algorithm
      for i in 1:n loop
        corners[i, :] := {R*cos(6.283185307179586*(i - 1)/n), R*sin(6.283185307179586*(i - 1)/n)};
      end for;
    end regularPolygon;

    partial model SurfaceLaw "stiffness and friction of surfaces"
      parameter Real c(unit = "N/m", min = 0) "stiffness in each point of contact";
      parameter Real d(unit = "N.s/m", min = 0) = 0 "damping";
      parameter Real mu_A(min = 0) = 0 "friction coefficient at adhesion", mu_S(min = 0) = mu_A "friction coefficient at sliding";
      parameter Real vAdhesion(unit = "m/s") = 1e-3 "velocity of highest friction: what sticks creeps slower than this";
      parameter Real vSlide(unit = "m/s") = 10*vAdhesion "velocity where sliding is reached";
      Frame frame_a "first body";
      Frame frame_b "second body";
      Signals.RealOutput lossPower "heat of damping and friction in W, for Thermal.PrescribedHeatFlow";
      PositionSensor at_a, at_b;
      Lever lever "takes the motion of the first body to the origin of the second";
    equation
      connect(frame_a, at_a.frame);
      connect(frame_b, at_b.frame);
      connect(frame_a, lever.frame_a);
      connect(at_b.x, lever.x);
      connect(at_b.y, lever.y);
    end SurfaceLaw;

    model ShapeContact "contact of two convex shapes, with dry friction: discs, capsules, polygons"
      extends SurfaceLaw;
      parameter Real shape_a[:, 2] "corners in the axes of frame_a: one for a disc, two for a capsule, more counterclockwise";
      parameter Real shape_b[:, 2] "corners in the axes of frame_b";
      parameter Real radius_a(unit = "m", min = 0) = 0 "around the corners of shape_a: 0 is sharp", radius_b(unit = "m", min = 0) = 0 "around the corners of shape_b";
      ShapeTouch touch(shape_a = shape_a, shape_b = shape_b, radius_a = radius_a, radius_b = radius_b, c = c, d = d, mu_A = mu_A, mu_S = mu_S,
        vAdhesion = vAdhesion, vSlide = vSlide);
    equation
      connect(lever.frame_b, touch.frame_a);
      connect(frame_b, touch.frame_b);
      connect(at_a.x, touch.x);
      connect(at_a.y, touch.y);
      connect(touch.lossPower, lossPower);
    end ShapeContact;

    model LineContact "contact of a convex shape at frame_b with a straight line at frame_a, with dry friction"
      extends SurfaceLaw;
      parameter Real n[2] "normal of the line in the axes of frame_a, towards the shape";
      parameter Real shape[:, 2] "corners in the axes of frame_b: one for a disc, two for a capsule, more counterclockwise";
      parameter Real radius(unit = "m", min = 0) = 0 "around the corners: 0 is sharp";
      LineTouch touch(n = n, shape = shape, radius = radius, c = c, d = d, mu_A = mu_A, mu_S = mu_S, vAdhesion = vAdhesion, vSlide = vSlide);
    equation
      connect(lever.frame_b, touch.frame_a);
      connect(frame_b, touch.frame_b);
      connect(at_a.x, touch.x);
      connect(at_a.y, touch.y);
      connect(touch.lossPower, lossPower);
    end LineContact;
  end Planar;
end Dialectic;
