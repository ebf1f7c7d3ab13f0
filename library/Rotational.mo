package Dialectic

  package Rotational "Dialectic mechanics about an axis"

    // Signals of a flange are its elastic angle phi and its kinetic velocity w; der(phi) is the elastic velocity, der(w) the
    // kinetic acceleration. The classes are those of Translational.mo in the vocabulary of rotation.

    partial model RigidLink "what turns one flange turns the other; torques are handed on"
      Flange flange_a "flange", flange_b "flange";
    equation
      flange_a.tau_el + flange_b.tau_el = 0;
      flange_a.tau_ki + flange_b.tau_ki = 0;
    end RigidLink;

    model Fixed "Fixed angle: a root"
      Flange flange_b "flange";
      parameter Real phi(unit = "rad") = 0 "angle";
    equation
      flange_b.phi = phi;
      flange_b.w = 0;
    end Fixed;

    model Rotation "Rigid offset"
      extends RigidLink;
      parameter Real phi0(unit = "rad") = 0 "angle from flange_a to flange_b";
    equation
      flange_b.phi = flange_a.phi + phi0;
      flange_b.w = flange_a.w;
    end Rotation;

    model Inertia "Moment of inertia"
      Flange flange_a "flange";
      parameter Real J(unit = "kg.m2", min = 0) = 1 "moment of inertia";
      Real kineticEnergy = 0.5*J*flange_a.w*flange_a.w;
    equation
      flange_a.tau_ki = J*der(flange_a.w);
      flange_a.tau_el = 0;
    end Inertia;

    model Joint "Degree of freedom along phi"
      extends RigidLink;
      Flange axis "moves with phi alone: springs, motors, limits", support "base of the axis: phi = 0";
      Signals.RealInput tau_ext "external torque along phi";
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant; 0 is classical mechanics" annotation(Evaluate = true);
      Real phi(unit = "rad", start = 0) "relative angle, elastic regime";
      Real w(unit = "rad/s", start = 0) "relative angular velocity, kinetic regime";
      Real w_el(unit = "rad/s") "elastic angular velocity";
      Real z(unit = "rad/s2") "kinetic angular acceleration";
      Real filterPower = (w_el - w)*(flange_b.tau_el + axis.tau_el + tau_ext);
      Real supplyPower = tau_ext*w_el;
    equation
      flange_b.phi = flange_a.phi + phi;
      flange_b.w = flange_a.w + w;
      z = der(w);
      w_el = der(phi);
      w_el = w + TD*z;
      {axis.phi, axis.w} = {phi, w};
      {support.phi, support.w} = zeros(2);
      flange_b.tau_el + flange_b.tau_ki + axis.tau_el + axis.tau_ki + tau_ext = 0;
    end Joint;

    partial model Element "acts between two flanges, equal and opposite"
      Flange flange_a "flange", flange_b "flange";
      Real phi_rel(unit = "rad") "phi_b - phi_a";
      Real w_rel(unit = "rad/s") "kinetic w_b - w_a";
      Real tau_el(unit = "N.m") "elastic torque at flange_b";
      Real tau_ki(unit = "N.m") "kinetic torque at flange_b";
    equation
      phi_rel = flange_b.phi - flange_a.phi;
      w_rel = flange_b.w - flange_a.w;
      {flange_b.tau_el, flange_b.tau_ki} = {tau_el, tau_ki};
      {flange_a.tau_el, flange_a.tau_ki} = -{tau_el, tau_ki};
    end Element;

    partial model Compliance "spring and damper in parallel, while they act"
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant; 0 is classical mechanics";
      parameter Boolean damped = world.damped "add d_el = d + c TD between elastic and kinetic velocity";
      parameter Real c(unit = "N.m/rad", min = 0) = 1 "stiffness";
      parameter Real d(unit = "N.m.s/rad", min = 0) = 0 "damping";
      parameter Real phi0(unit = "rad") = 0 "angle without torque";
      extends Element;
      Real potentialEnergy = if acts then 0.5*c*(phi_rel - phi0)*(phi_rel - phi0) else 0;
      Real lossPower = if not acts then 0 elseif d_el > 0 then d*w_el*w_el else d*w_rel*w_rel;
      Real filterPower = if not acts then 0 else d_el*(w_el - w_rel)*w_el + d*w_rel*w_rel - lossPower;
    protected
      final parameter Real d_el = if damped and TD > 0 then d + c*TD else 0;
      Real w_el = der(phi_rel) "elastic velocity";
      Boolean acts;
    equation
      tau_el = if acts then c*(phi_rel - phi0) - d_el*w_rel + d_el*w_el else 0;
      tau_ki = if acts then d*w_rel else 0;
    end Compliance;

    model Spring "Linear spring"
      extends Compliance(final d = 0);
    equation
      acts = true;
    end Spring;

    model Damper "Linear damper"
      extends Compliance(final c = 0, final phi0 = 0);
    equation
      acts = true;
    end Damper;

    model SpringDamper "Linear spring and damper in parallel"
      extends Compliance;
    equation
      acts = true;
    end SpringDamper;

    model ElastoGap "Spring and damper that act while flange_b is closer to flange_a than phi0"
      extends Compliance;
      Real gap(unit = "rad") = flange_b.phi - flange_a.phi - phi0 "negative in contact";
    equation
      acts = gap < 0;
    end ElastoGap;

    model Torque "Torque that acts on one flange"
      Flange flange "flange";
      Signals.RealInput tau "torque that acts on the flange";
    equation
      flange.tau_el = -tau;
      flange.tau_ki = 0;
    end Torque;

    model DryFriction "Dry friction, regularised by the triple S-function"
      parameter Real N(unit = "N.m", min = 0) = 1 "normal force";
      parameter Real wAdhesion(unit = "rad/s", min = 0) = 1e-3 "velocity of highest friction";
      parameter Real wSlide(unit = "rad/s", min = 0) = 1e-2 "velocity where sliding is reached";
      parameter Real mu_A(unit = "1", min = 0) = 1 "friction coefficient at adhesion";
      parameter Real mu_S(unit = "1", min = 0) = 0.7 "friction coefficient at sliding";
      Flange flange_a "flange", flange_b "flange";
      Real slide_back(unit = "rad/s") = w_rel + wSlide "negative: slides backwards";
      Real stick_back(unit = "rad/s") = w_rel + wAdhesion "negative: beyond adhesion backwards";
      Real stick_ahead(unit = "rad/s") = w_rel - wAdhesion "positive: beyond adhesion forwards";
      Real slide_ahead(unit = "rad/s") = w_rel - wSlide "positive: slides forwards";
      Real w_rel(unit = "rad/s") = flange_b.w - flange_a.w "kinetic w_b - w_a";
      Real tau_ki(unit = "N.m") = N*TripleS_Func(wAdhesion, wSlide, mu_A, mu_S, w_rel) "friction torque at flange_b";
      Real lossPower = tau_ki*w_rel;
    protected
      Boolean slides_back = slide_back < 0, leaves_back = stick_back < 0;
      Boolean held_ahead = stick_ahead < 0, slow_ahead = slide_ahead < 0;
    equation
      assert(wAdhesion > 0, "the velocity of adhesion must be greater than zero");
      assert(wSlide > wAdhesion, "the velocity of sliding must be greater than the velocity of adhesion");
      {flange_b.tau_el, flange_b.tau_ki} = {0, tau_ki};
      {flange_a.tau_el, flange_a.tau_ki} = {0, -tau_ki};
    end DryFriction;

    model AngleSensor "Measures the angle of a flange"
      Flange flange "flange";
      Signals.RealOutput y "measured position";
      outer World world;
      parameter Boolean filtered = false "first-order filter with TD, as the kinetic regime sees it";
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant; 0 is classical mechanics";
      Real x(unit = "rad") "filtered position";
    protected
      final parameter Boolean lags = filtered and TD > 0;
      final parameter Real T = if lags then TD else 1;
    initial equation
      x = flange.phi - TD*flange.w;
    equation
      der(x) = if lags then (flange.phi - x)/T else flange.w;
      y = if lags then x else flange.phi;
      {flange.tau_el, flange.tau_ki} = zeros(2);
    end AngleSensor;

    model TorqueSensor "Measures the torque between two flanges"
      extends RigidLink;
      Real y(unit = "N.m") "torque handed on from flange_a to flange_b";
    equation
      flange_b.phi = flange_a.phi;
      flange_b.w = flange_a.w;
      y = -(flange_b.tau_el + flange_b.tau_ki);
    end TorqueSensor;

    model IdealGear "Gear without loss: phi_b = ratio phi_a"
      Flange flange_a "flange", flange_b "flange";
      parameter Real ratio(unit = "1") = 1 "phi_b = ratio phi_a";
    equation
      assert(ratio <> 0, "must not be zero");
      flange_b.phi = ratio*flange_a.phi;
      flange_b.w = ratio*flange_a.w;
      flange_a.tau_el + ratio*flange_b.tau_el = 0;
      flange_a.tau_ki + ratio*flange_b.tau_ki = 0;
    end IdealGear;

    model RollingWheel "Wheel that rolls without slip: s = radius phi"
      Flange flangeR "flange";
      Translational.Flange flangeT "flange";
      parameter Real radius(unit = "m", min = 0) = 1 "radius: s = radius phi";
    equation
      assert(radius <> 0, "must not be zero");
      flangeT.s = radius*flangeR.phi;
      flangeT.v = radius*flangeR.w;
      flangeR.tau_el + radius*flangeT.f_el = 0;
      flangeR.tau_ki + radius*flangeT.f_ki = 0;
    end RollingWheel;
  end Rotational;
end Dialectic;
