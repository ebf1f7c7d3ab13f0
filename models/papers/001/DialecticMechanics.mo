package DialecticMechanics "The listings of paper 001 as text: connectors and components of dialectic mechanics, nothing of the compiled library"

  package SI "the units that the listings name"
    type Position = Real(unit = "m");
    type Length = Real(unit = "m", min = 0);
    type Velocity = Real(unit = "m/s");
    type Acceleration = Real(unit = "m/s2");
    type Angle = Real(unit = "rad");
    type AngularVelocity = Real(unit = "rad/s");
    type Mass = Real(unit = "kg", min = 0);
    type Inertia = Real(unit = "kg.m2", min = 0);
    type Force = Real(unit = "N");
    type Torque = Real(unit = "N.m");
    type Time = Real(unit = "s");
    type SpringConstant = Real(unit = "N/m", min = 0);
    type DampingConstant = Real(unit = "N.s/m", min = 0);
    type RotationalSpringConstant = Real(unit = "N.m/rad", min = 0);
    type RotationalDampingConstant = Real(unit = "N.m.s/rad", min = 0);
  end SI;

  package Translational1D "mechanics along a line"

    package Interfaces
      connector Flange "Listing 1: a pair of potential and flow for each regime"
        SI.Position s;
        flow SI.Force f_el;
        SI.Velocity v;
        flow SI.Force f_ki;
      end Flange;
      connector Flange_a = Flange;
      connector Flange_b = Flange;
      connector RealInput = input Real;
    end Interfaces;

    model Fixed "Listing 2: component for a fixed position"
      Interfaces.Flange_b flange_b;
      parameter SI.Position s = 0;
    equation
      flange_b.s = s;
      flange_b.v = 0;
    end Fixed;

    model Translation "a rigid distance"
      Interfaces.Flange_a flange_a;
      Interfaces.Flange_b flange_b;
      parameter SI.Position l;
    equation
      flange_a.s + l = flange_b.s;
      flange_a.f_el + flange_b.f_el = 0;
      flange_a.v = flange_b.v;
      flange_a.f_ki + flange_b.f_ki = 0;
    end Translation;

    model Body "Listing 3: component representing a 1D mass"
      Interfaces.Flange_a flange_a;
      parameter SI.Mass m;
      parameter SI.Acceleration g = -9.81;
      SI.Acceleration a;
      SI.Velocity v(stateSelect = StateSelect.avoid);
      SI.Position s(stateSelect = StateSelect.avoid);
    equation
      a = der(v);
      s = flange_a.s;
      v = flange_a.v;
      flange_a.f_ki = m*a;
      flange_a.f_el = -m*g;
    end Body;

    model Joint "Listing 4: the prismatic joint in 1D"
      Interfaces.Flange_a flange_a;
      Interfaces.Flange_b flange_b;
      Interfaces.RealInput f_ext;
      parameter SI.Time TD;
      SI.Position s(start = 0, stateSelect = StateSelect.prefer);
      SI.Velocity v(start = 0, stateSelect = StateSelect.prefer);
      SI.Velocity v_el(start = 0);
    equation
      flange_a.s + s = flange_b.s;
      flange_a.f_el + flange_b.f_el = 0;
      flange_a.v + v = flange_b.v;
      flange_a.f_ki + flange_b.f_ki = 0;
      flange_a.f_el + flange_a.f_ki = f_ext;
      v_el = der(s);
      der(v)*TD = (v_el - v);
    end Joint;

    model ElastoGap "Listing 5: a mechanical stop"
      Interfaces.Flange_a flange_a;
      Interfaces.Flange_b flange_b;
      parameter SI.Position l = 0;
      parameter SI.SpringConstant c;
      parameter SI.DampingConstant d = 0;
      SI.Position ds(start = 0);
      SI.Velocity dv(start = 0);
    equation
      flange_a.s + l + ds = flange_b.s;
      flange_a.f_el + flange_b.f_el = 0;
      flange_b.f_el = if ds < 0 then ds*c else 0;
      flange_a.v + dv = flange_b.v;
      flange_a.f_ki + flange_b.f_ki = 0;
      flange_b.f_ki = if ds < 0 then dv*d else 0;
    end ElastoGap;

    model SpringDamper "both regimes apart, as in Listing 5 without the gap; paper 000 adds d_el between them"
      Interfaces.Flange_a flange_a;
      Interfaces.Flange_b flange_b;
      parameter SI.Position l = 0;
      parameter SI.SpringConstant c;
      parameter SI.DampingConstant d = 0;
      parameter SI.DampingConstant d_el = 0 "equation 1b of paper 000: d + c TD limits the eigenvalues";
      SI.Position ds(start = 0);
      SI.Velocity dv(start = 0), dv_el "elastic";
    equation
      flange_a.s + l + ds = flange_b.s;
      flange_a.f_el + flange_b.f_el = 0;
      dv_el = der(ds);
      flange_b.f_el = c*ds + d_el*(dv_el - dv);
      flange_a.v + dv = flange_b.v;
      flange_a.f_ki + flange_b.f_ki = 0;
      flange_b.f_ki = d*dv;
    end SpringDamper;
  end Translational1D;

  package Rotational1D "mechanics about an axis, in the style of Listings 1 to 5"

    package Interfaces
      connector Flange
        SI.Angle phi;
        flow SI.Torque t_el;
        SI.AngularVelocity w;
        flow SI.Torque t_ki;
      end Flange;
      connector Flange_a = Flange;
      connector Flange_b = Flange;
    end Interfaces;

    model Fixed
      Interfaces.Flange_b flange_b;
      parameter SI.Angle phi = 0;
    equation
      flange_b.phi = phi;
      flange_b.w = 0;
    end Fixed;

    model Damper
      Interfaces.Flange_a flange_a;
      Interfaces.Flange_b flange_b;
      parameter SI.RotationalDampingConstant d;
      SI.AngularVelocity dw;
    equation
      flange_a.t_el + flange_b.t_el = 0;
      flange_b.t_el = 0;
      flange_a.w + dw = flange_b.w;
      flange_a.t_ki + flange_b.t_ki = 0;
      flange_b.t_ki = d*dw;
    end Damper;
  end Rotational1D;

  package Planar "mechanics in the plane"

    package Interfaces
      connector Frame "Listing 6: planar mechanical connector"
        // elastic regime
        SI.Position x;
        SI.Position y;
        SI.Angle phi;
        flow SI.Force fx_el;
        flow SI.Force fy_el;
        flow SI.Torque t_el;
        // kinetic regime
        SI.Velocity vx;
        SI.Velocity vy;
        SI.AngularVelocity w;
        flow SI.Force fx_ki;
        flow SI.Force fy_ki;
        flow SI.Torque t_ki;
      end Frame;
      connector Frame_a = Frame;
      connector Frame_b = Frame;

      partial model PartialTwoFrames
        Frame_a frame_a;
        Frame_b frame_b;
      end PartialTwoFrames;
    end Interfaces;

    model Fixed
      Interfaces.Frame_b frame;
      parameter SI.Position r[2] = {0, 0};
      parameter SI.Angle phi = 0;
    equation
      {frame.x, frame.y, frame.phi} = {r[1], r[2], phi};
      {frame.vx, frame.vy, frame.w} = zeros(3);
    end Fixed;

    model Body "gravity belongs to the elastic regime"
      Interfaces.Frame_a frame_a;
      parameter SI.Mass m;
      parameter SI.Inertia I = 0;
      parameter SI.Acceleration g = 9.81 "along -y";
      SI.Velocity v[2](each stateSelect = StateSelect.avoid);
      SI.AngularVelocity w(stateSelect = StateSelect.avoid);
    equation
      v = {frame_a.vx, frame_a.vy};
      w = frame_a.w;
      {frame_a.fx_ki, frame_a.fy_ki} = m*der(v);
      frame_a.t_ki = I*der(w);
      {frame_a.fx_el, frame_a.fy_el, frame_a.t_el} = {0, m*g, 0};
    end Body;

    model FixedTranslation "a rod"
      extends Interfaces.PartialTwoFrames;
      parameter SI.Position r[2];
      SI.Position r0[2];
      Real R[2, 2];
    equation
      R = {{cos(frame_a.phi), -sin(frame_a.phi)}, {sin(frame_a.phi), cos(frame_a.phi)}};
      r0 = R*r;
      // elastic regime
      frame_a.x + r0[1] = frame_b.x;
      frame_a.y + r0[2] = frame_b.y;
      frame_a.phi = frame_b.phi;
      frame_a.fx_el + frame_b.fx_el = 0;
      frame_a.fy_el + frame_b.fy_el = 0;
      frame_a.t_el + frame_b.t_el + r0*{frame_b.fy_el, -frame_b.fx_el} = 0;
      // kinetic regime
      frame_a.vx - r0[2]*frame_a.w = frame_b.vx;
      frame_a.vy + r0[1]*frame_a.w = frame_b.vy;
      frame_a.w = frame_b.w;
      frame_a.fx_ki + frame_b.fx_ki = 0;
      frame_a.fy_ki + frame_b.fy_ki = 0;
      frame_a.t_ki + frame_b.t_ki + r0*{frame_b.fy_ki, -frame_b.fx_ki} = 0;
    end FixedTranslation;

    model Revolute "a turning joint"
      extends Interfaces.PartialTwoFrames;
      parameter Boolean useFlange = false;
      parameter SI.Time TD;
      Rotational1D.Interfaces.Flange_a flange_a(phi = phi, w = w, t_el = t_el, t_ki = t_ki) if useFlange;
      SI.Angle phi(start = 0, stateSelect = StateSelect.prefer);
      SI.AngularVelocity w(start = 0, stateSelect = StateSelect.prefer);
      SI.AngularVelocity w_el;
      SI.Torque t_el;
      SI.Torque t_ki;
    equation
      // elastic regime
      frame_a.x = frame_b.x;
      frame_a.y = frame_b.y;
      frame_a.phi + phi = frame_b.phi;
      frame_a.fx_el + frame_b.fx_el = 0;
      frame_a.fy_el + frame_b.fy_el = 0;
      frame_a.t_el + frame_b.t_el = 0;
      // kinetic regime
      frame_a.vx = frame_b.vx;
      frame_a.vy = frame_b.vy;
      frame_a.w + w = frame_b.w;
      frame_a.fx_ki + frame_b.fx_ki = 0;
      frame_a.fy_ki + frame_b.fy_ki = 0;
      frame_a.t_ki + frame_b.t_ki = 0;
      // synergy
      w_el = der(phi);
      der(w)*TD = (w_el - w);
      frame_b.t_el + frame_b.t_ki + t_el + t_ki = 0;
      // actuation torque
      if not useFlange then
        t_el = 0;
        t_ki = 0;
      end if;
    end Revolute;

    model Prismatic "Listing 7: a prismatic joint in a planar world"
      extends Interfaces.PartialTwoFrames;
      parameter Boolean useFlange = false;
      parameter SI.Time TD;
      parameter SI.Position r[2];
      final parameter SI.Length l = sqrt(r*r);
      final parameter Real e[2] = r/l;
      Translational1D.Interfaces.Flange_a flange_a(s = s, v = v, f_el = f_el, f_ki = f_ki) if useFlange;
      SI.Position s(start = 0, stateSelect = StateSelect.prefer);
      SI.Velocity v(start = 0, stateSelect = StateSelect.prefer);
      SI.Velocity v_el;
      SI.Force f_el;
      SI.Force f_ki;
      Real e0[2];
      SI.Position r0[2];
      Real R[2, 2];
    equation
      R = {{cos(frame_a.phi), -sin(frame_a.phi)}, {sin(frame_a.phi), cos(frame_a.phi)}};
      e0 = R*e;
      r0 = e0*s;
      // elastic regime
      frame_a.x + r0[1] = frame_b.x;
      frame_a.y + r0[2] = frame_b.y;
      frame_a.phi = frame_b.phi;
      frame_a.fx_el + frame_b.fx_el = 0;
      frame_a.fy_el + frame_b.fy_el = 0;
      frame_a.t_el + frame_b.t_el + r0*{frame_b.fy_el, -frame_b.fx_el} = 0;
      // kinetic regime
      frame_a.vx - r0[2]*frame_a.w + v*e0[1] = frame_b.vx;
      frame_a.vy + r0[1]*frame_a.w + v*e0[2] = frame_b.vy;
      frame_a.w = frame_b.w;
      frame_a.fx_ki + frame_b.fx_ki = 0;
      frame_a.fy_ki + frame_b.fy_ki = 0;
      frame_a.t_ki + frame_b.t_ki + r0*{frame_b.fy_ki, -frame_b.fx_ki} = 0;
      // synergy
      v_el = der(s);
      der(v)*TD = (v_el - v);
      {frame_b.fx_el, frame_b.fy_el}*e0 + {frame_b.fx_ki, frame_b.fy_ki}*e0 + f_el + f_ki = 0;
      // actuation force
      if not useFlange then
        f_el = 0;
        f_ki = 0;
      end if;
    end Prismatic;

    model SpringDamper "between the origins of two frames, along the axes of the world"
      extends Interfaces.PartialTwoFrames;
      parameter SI.SpringConstant c_x, c_y;
      parameter SI.RotationalSpringConstant c_phi;
      parameter SI.DampingConstant d_x = 0, d_y = 0;
      parameter SI.RotationalDampingConstant d_phi = 0;
    equation
      // elastic regime
      frame_b.fx_el = c_x*(frame_b.x - frame_a.x);
      frame_b.fy_el = c_y*(frame_b.y - frame_a.y);
      frame_b.t_el = c_phi*(frame_b.phi - frame_a.phi);
      {frame_a.fx_el, frame_a.fy_el, frame_a.t_el} = -{frame_b.fx_el, frame_b.fy_el, frame_b.t_el};
      // kinetic regime
      frame_b.fx_ki = d_x*(frame_b.vx - frame_a.vx);
      frame_b.fy_ki = d_y*(frame_b.vy - frame_a.vy);
      frame_b.t_ki = d_phi*(frame_b.w - frame_a.w);
      {frame_a.fx_ki, frame_a.fy_ki, frame_a.t_ki} = -{frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki};
    end SpringDamper;
  end Planar;

  package Examples "the models of the paper; names are those of the same models of the compiled library"

    model CraneCrab "the crane crab of paper 003"
      parameter SI.Time TD = 1e-3;
      Planar.Fixed fixed;
      Planar.Prismatic prismatic(TD = TD, r = {1, 0});
      Planar.Body cart(m = 2);
      Planar.Revolute revolute(TD = TD, phi(start = 1));
      Planar.FixedTranslation rod(r = {0, -1});
      Planar.Body load(m = 1);
    equation
      connect(fixed.frame, prismatic.frame_a);
      connect(prismatic.frame_b, cart.frame_a);
      connect(prismatic.frame_b, revolute.frame_a);
      connect(revolute.frame_b, rod.frame_a);
      connect(rod.frame_b, load.frame_a);
      annotation(experiment(StopTime = 10));
    end CraneCrab;

    model Clamp "figure 3: a ball squeezed between two hard pieces of wood on a cartridge that is pushed and stopped"
      parameter SI.Time TD = 1e-3;
      parameter SI.SpringConstant c = 1e6 "of one contact";
      parameter SI.Position depth = 1e-4 "indentation at rest";
      parameter SI.Position half = 0.05 "from the middle of the clamp to a jaw";
      Translational1D.Fixed fixed;
      Translational1D.Joint slide(TD = TD) "of the cartridge";
      Translational1D.Body cartridge(m = 100, g = 0);
      Translational1D.Translation left(l = -half), right(l = half);
      Translational1D.Joint play(TD = TD) "of the ball in the clamp";
      Translational1D.Body ball(m = 0.5, g = 0);
      Translational1D.ElastoGap leftGap(c = c, l = half + depth), rightGap(c = c, l = half + depth);
      SI.Force force "on the cartridge";
    equation
      force = if time < 0.1 then 0 else if time < 0.3 then 1000 else if time < 0.6 then 0 else if time < 0.8 then -1000 else 0;
      slide.f_ext = force;
      play.f_ext = 0;
      connect(fixed.flange_b, slide.flange_a);
      connect(slide.flange_b, cartridge.flange_a);
      connect(cartridge.flange_a, left.flange_a);
      connect(cartridge.flange_a, right.flange_a);
      connect(cartridge.flange_a, play.flange_a);
      connect(play.flange_b, ball.flange_a);
      connect(left.flange_b, leftGap.flange_a);
      connect(leftGap.flange_b, ball.flange_a);
      connect(ball.flange_a, rightGap.flange_a);
      connect(rightGap.flange_b, right.flange_b);
      annotation(experiment(StopTime = 1, Interval = 0.002));
    end Clamp;

    model ThreadPendulum "figure 5: an elasto-gap is the thread, which goes slack and taut again"
      parameter SI.Time TD = 1e-4;
      parameter SI.Length length = 1 "of the thread";
      parameter SI.Mass m = 100;
      parameter SI.SpringConstant c = 1e6;
      parameter SI.DampingConstant d = 1e3;
      parameter SI.AngularVelocity w0 = 3 "at the start, level to the left";
      Planar.Fixed fixed;
      Planar.Revolute revolute(TD = TD, phi(start = -3.141592653589793), w(start = w0));
      Planar.Body hub(m = 0, I = 1e-4);
      Planar.Prismatic prismatic(TD = TD, r = {1, 0}, useFlange = true, s(start = length + m*w0^2*length/c), v(start = 3*9.81*w0*m/c));
      Planar.Body body(m = m);
      Translational1D.Fixed end_(s = length);
      Translational1D.ElastoGap thread(c = c, d = d);
    equation
      connect(fixed.frame, revolute.frame_a);
      connect(revolute.frame_b, hub.frame_a);
      connect(revolute.frame_b, prismatic.frame_a);
      connect(prismatic.frame_b, body.frame_a);
      connect(prismatic.flange_a, thread.flange_a);
      connect(end_.flange_b, thread.flange_b);
      annotation(experiment(StopTime = 2.6, Interval = 0.005));
    end ThreadPendulum;

    model LandingGear "figure 9: a leg unfolds until its brace is straight; the loop is closed elastically"
      parameter SI.Time TD = 1e-3;
      parameter SI.Position D[2] = {1, 0} "hinge of the brace";
      parameter SI.Length bracket = 0.7 "from the hinge of the leg to the brace";
      parameter SI.Length L1 = 0.59 "upper brace", L2 = 0.59 "lower brace";
      parameter SI.Angle phi0 = 1.2 "leg folded towards the brace";
      // the folded position: where two circles meet
      final parameter Real P[2] = {bracket*sin(phi0), -bracket*cos(phi0)};
      final parameter Real distance = sqrt((P - D)*(P - D));
      final parameter Real upper0 = atan2(P[2] - D[2], P[1] - D[1]) + acos((L1^2 + distance^2 - L2^2)/(2*L1*distance));
      final parameter Real K[2] = {D[1] + L1*cos(upper0), D[2] + L1*sin(upper0)};
      final parameter Real lower0 = atan2(K[2] - P[2], K[1] - P[1]);
      Planar.Fixed airframe, hinge(r = D);
      Planar.Revolute legJoint(TD = TD, useFlange = true, phi(start = phi0));
      Planar.Revolute braceJoint(TD = TD, phi(start = lower0 - phi0)), knee(TD = TD, phi(start = upper0 - lower0)), hingeJoint(TD = TD, phi(start = upper0));
      Planar.FixedTranslation leg(r = {0, -1.5}), toBracket(r = {0, -bracket}), lower(r = {L2, 0}), upper(r = {L1, 0});
      Planar.Body wheel(m = 20, I = 0.5), lowerBody(m = 1, I = 0.02), kneeBody(m = 0.5, I = 0.005), upperBody(m = 1, I = 0.02);
      Planar.SpringDamper closure(c_x = 1e7, c_y = 1e7, c_phi = 1e4, d_x = 1e4, d_y = 1e4, d_phi = 10) "welds knee and upper brace";
      Rotational1D.Fixed ground;
      Rotational1D.Damper damper(d = 5);
    equation
      connect(airframe.frame, legJoint.frame_a);
      connect(legJoint.frame_b, leg.frame_a);
      connect(leg.frame_b, wheel.frame_a);
      connect(legJoint.frame_b, toBracket.frame_a);
      connect(toBracket.frame_b, braceJoint.frame_a);
      connect(braceJoint.frame_b, lower.frame_a);
      connect(lower.frame_b, lowerBody.frame_a);
      connect(lower.frame_b, knee.frame_a);
      connect(knee.frame_b, kneeBody.frame_a);
      connect(hinge.frame, hingeJoint.frame_a);
      connect(hingeJoint.frame_b, upper.frame_a);
      connect(upper.frame_b, upperBody.frame_a);
      connect(knee.frame_b, closure.frame_a);
      connect(upper.frame_b, closure.frame_b);
      connect(ground.flange_b, damper.flange_a);
      connect(damper.flange_b, legJoint.flange_a);
      annotation(experiment(StopTime = 3, Interval = 0.006));
    end LandingGear;

    model SpringDamperSystem "Table 1 of paper 000: a dialectic mass and the classical one with its eigenvalues"
      parameter SI.Time TD = 1e-3;
      parameter SI.Mass m = 1;
      parameter SI.SpringConstant c = 1e6;
      parameter SI.DampingConstant d = 100;
      parameter SI.Position s0 = 1e-3 "at the start";
      final parameter Real d_el = d + c*TD "equation 23d";
      Translational1D.Fixed fixed;
      Translational1D.Joint joint(TD = TD, s(start = s0), f_ext = 0);
      Translational1D.Body body(m = m, g = 0);
      Translational1D.SpringDamper spring(c = c, d = d, d_el = d_el);
      // the classical system: equation 23
      Translational1D.Joint classicalJoint(TD = 0, s(start = s0), f_ext = 0);
      Translational1D.Body classicalBody(m = m + d_el*TD, g = 0);
      Translational1D.SpringDamper classicalSpring(c = c, d = d + c*TD);
    equation
      connect(fixed.flange_b, joint.flange_a);
      connect(joint.flange_b, body.flange_a);
      connect(fixed.flange_b, spring.flange_a);
      connect(spring.flange_b, body.flange_a);
      connect(fixed.flange_b, classicalJoint.flange_a);
      connect(classicalJoint.flange_b, classicalBody.flange_a);
      connect(fixed.flange_b, classicalSpring.flange_a);
      connect(classicalSpring.flange_b, classicalBody.flange_a);
      annotation(experiment(StopTime = 0.02, Interval = 1e-4));
    end SpringDamperSystem;
  end Examples;
end DialecticMechanics;
