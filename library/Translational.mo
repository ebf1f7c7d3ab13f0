package Dialectic

  package Translational "Dialectic mechanics along a line"

    // Signals of a flange are its elastic position s and its kinetic velocity v; der(s) is the elastic velocity, der(v) the
    // kinetic acceleration. f_el and f_ki are the forces of the two regimes, positive into the component: papers 001 and 000.
    // Rotational.mo has the same classes about an axis.

    partial model RigidLink "what moves one flange moves the other; forces are handed on"
      Flange flange_a "flange", flange_b "flange";
    equation
      flange_a.f_el + flange_b.f_el = 0;
      flange_a.f_ki + flange_b.f_ki = 0;
    end RigidLink;

    model Fixed "Fixed position: a root"
      Flange flange_b "flange";
      parameter Real s(unit = "m") = 0 "position";
    equation
      flange_b.s = s;
      flange_b.v = 0;
    end Fixed;

    model Translation "Rigid offset"
      extends RigidLink;
      parameter Real l(unit = "m") = 0 "length from flange_a to flange_b";
    equation
      flange_b.s = flange_a.s + l;
      flange_b.v = flange_a.v;
    end Translation;

    model Body "Mass under gravity"
      Flange flange_a "flange";
      parameter Real m(unit = "kg", min = 0) = 1 "mass";
      parameter Real g(unit = "m/s2") = -9.81 "gravity along s";
      Real kineticEnergy = 0.5*m*flange_a.v*flange_a.v;
      Real potentialEnergy = -m*g*flange_a.s;
    equation
      flange_a.f_ki = m*der(flange_a.v);
      flange_a.f_el = -m*g;
    end Body;

    model Joint "Degree of freedom along s"
      extends RigidLink;
      // `axis` moves with the state of the joint, `support` rests. A spring between them has the state itself as its
      // elongation, with all its digits; between the outer flanges it would be the difference of two positions.
      Flange axis "moves with s alone: springs, motors, limits", support "base of the axis: s = 0";
      Signals.RealInput f_ext "external force along s";
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant; 0 is classical mechanics" annotation(Evaluate = true);
      Real s(unit = "m", start = 0) "relative position, elastic regime";
      Real v(unit = "m/s", start = 0) "relative velocity, kinetic regime";
      Real v_el(unit = "m/s") "elastic velocity";
      Real a(unit = "m/s2") "kinetic acceleration";
      Real filterPower = (v_el - v)*(flange_b.f_el + axis.f_el + f_ext);
      Real supplyPower = f_ext*v_el;
    equation
      flange_b.s = flange_a.s + s;
      flange_b.v = flange_a.v + v;
      a = der(v);
      v_el = der(s);
      v_el = v + TD*a;
      {axis.s, axis.v} = {s, v};
      {support.s, support.v} = zeros(2);
      flange_b.f_el + flange_b.f_ki + axis.f_el + axis.f_ki + f_ext = 0;
    end Joint;

    partial model Element "acts between two flanges, equal and opposite"
      Flange flange_a "flange", flange_b "flange";
      Real s_rel(unit = "m") "s_b - s_a";
      Real v_rel(unit = "m/s") "kinetic v_b - v_a";
      Real f_el(unit = "N") "elastic force at flange_b";
      Real f_ki(unit = "N") "kinetic force at flange_b";
    equation
      s_rel = flange_b.s - flange_a.s;
      v_rel = flange_b.v - flange_a.v;
      {flange_b.f_el, flange_b.f_ki} = {f_el, f_ki};
      {flange_a.f_el, flange_a.f_ki} = -{f_el, f_ki};
    end Element;

    // The damped extension of paper 000: d_el = d + c T_D between elastic and kinetic velocity limits the eigenvalues, and is
    // the only term that couples the two sides in the linear group. An element with T_D = 0 is classical and has none.
    // With d_el the damper acts on the elastic velocity and heats by d v_el^2; what else goes in is the filter's.
    partial model Compliance "spring and damper in parallel, while they act"
      outer World world;
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant; 0 is classical mechanics";
      parameter Boolean damped = world.damped "add d_el = d + c TD between elastic and kinetic velocity";
      parameter Real c(unit = "N/m", min = 0) = 1 "stiffness";
      parameter Real d(unit = "N.s/m", min = 0) = 0 "damping";
      parameter Real l(unit = "m") = 0 "length without force";
      extends Element;
      Real potentialEnergy = if acts then 0.5*c*(s_rel - l)*(s_rel - l) else 0;
      Real lossPower = if not acts then 0 elseif d_el > 0 then d*v_el*v_el else d*v_rel*v_rel;
      Real filterPower = if not acts then 0 else d_el*(v_el - v_rel)*v_el + d*v_rel*v_rel - lossPower;
    protected
      final parameter Real d_el = if damped and TD > 0 then d + c*TD else 0;
      Real v_el = der(s_rel) "elastic velocity";
      Boolean acts;
    equation
      f_el = if acts then c*(s_rel - l) - d_el*v_rel + d_el*v_el else 0;
      f_ki = if acts then d*v_rel else 0;
    end Compliance;

    model Spring "Linear spring"
      extends Compliance(final d = 0);
    equation
      acts = true;
    end Spring;

    model Damper "Linear damper"
      extends Compliance(final c = 0, final l = 0);
    equation
      acts = true;
    end Damper;

    model SpringDamper "Linear spring and damper in parallel"
      extends Compliance;
    equation
      acts = true;
    end SpringDamper;

    model ElastoGap "Spring and damper that act while flange_b is closer to flange_a than l"
      extends Compliance;
      Real gap(unit = "m") = flange_b.s - flange_a.s - l "negative in contact";
    equation
      acts = gap < 0;
    end ElastoGap;

    model Force "Force that acts on one flange"
      Flange flange "flange";
      Signals.RealInput f "force that acts on the flange";
    equation
      flange.f_el = -f;
      flange.f_ki = 0;
    end Force;

    model DryFriction "Dry friction, regularised by the triple S-function"
      parameter Real N(unit = "N", min = 0) = 1 "normal force";
      parameter Real vAdhesion(unit = "m/s", min = 0) = 1e-3 "velocity of highest friction";
      parameter Real vSlide(unit = "m/s", min = 0) = 1e-2 "velocity where sliding is reached";
      parameter Real mu_A(unit = "1", min = 0) = 1 "friction coefficient at adhesion";
      parameter Real mu_S(unit = "1", min = 0) = 0.7 "friction coefficient at sliding";
      Flange flange_a "flange", flange_b "flange";
      // The curve bends there, and adaptive solvers begin anew; the force itself has no jump that would have to be held.
      Real slide_back(unit = "m/s") = v_rel + vSlide "negative: slides backwards";
      Real stick_back(unit = "m/s") = v_rel + vAdhesion "negative: beyond adhesion backwards";
      Real stick_ahead(unit = "m/s") = v_rel - vAdhesion "positive: beyond adhesion forwards";
      Real slide_ahead(unit = "m/s") = v_rel - vSlide "positive: slides forwards";
      Real v_rel(unit = "m/s") = flange_b.v - flange_a.v "kinetic v_b - v_a";
      Real f_ki(unit = "N") = N*TripleS_Func(vAdhesion, vSlide, mu_A, mu_S, v_rel) "friction force at flange_b";
      Real lossPower = f_ki*v_rel;
    protected
      Boolean slides_back = slide_back < 0, leaves_back = stick_back < 0;
      Boolean held_ahead = stick_ahead < 0, slow_ahead = slide_ahead < 0;
    equation
      assert(vAdhesion > 0, "the velocity of adhesion must be greater than zero");
      assert(vSlide > vAdhesion, "the velocity of sliding must be greater than the velocity of adhesion");
      {flange_b.f_el, flange_b.f_ki} = {0, f_ki};
      {flange_a.f_el, flange_a.f_ki} = {0, -f_ki};
    end DryFriction;

    // y' of the filter is the kinetic velocity: paper 000, section 4.1
    model PositionSensor "Measures the position of a flange"
      Flange flange "flange";
      Signals.RealOutput y "measured position";
      outer World world;
      parameter Boolean filtered = false "first-order filter with TD, as the kinetic regime sees it";
      parameter Real TD(unit = "s", min = 0) = world.TD "dialectic time constant; 0 is classical mechanics";
      Real x(unit = "m") "filtered position";
    protected
      final parameter Boolean lags = filtered and TD > 0;
      final parameter Real T = if lags then TD else 1;
    initial equation
      x = flange.s - TD*flange.v;
    equation
      der(x) = if lags then (flange.s - x)/T else flange.v;
      y = if lags then x else flange.s;
      {flange.f_el, flange.f_ki} = zeros(2);
    end PositionSensor;

    model ForceSensor "Measures the force between two flanges"
      extends RigidLink;
      Real y(unit = "N") "force handed on from flange_a to flange_b";
    equation
      flange_b.s = flange_a.s;
      flange_b.v = flange_a.v;
      y = -(flange_b.f_el + flange_b.f_ki);
    end ForceSensor;

    // Differentiated along the motion, and with a power that is not lost (paper 004)
    model SquareLink "Constraint on positions: s_b = k |s_a| s_a"
      Flange flange_a "flange", flange_b "flange";
      parameter Real k(unit = "1/m") = 1 "curvature: s_b = k |s_a| s_a";
    protected
      Real slope = 2*k*abs(flange_a.s);
    equation
      flange_b.s = k*abs(flange_a.s)*flange_a.s;
      flange_b.v = slope*flange_a.v;
      flange_a.f_el + slope*flange_b.f_el = 0;
      flange_a.f_ki + slope*flange_b.f_ki = 0;
    end SquareLink;
  end Translational;
end Dialectic;
