// The bouncing ball of paper 002 (case study 1): a ball falls from 10 m, with air drag or in a vacuum. Ball loses a part of its velocity at each
// impact; ElasticBall is soft, a spring and a damper push it up and never pull it down.
package BouncingBalls
  model Ball "Impacts by events"
    parameter Real g(unit = "m/s2") = 9.81 "Gravity";
    parameter Real e(min = 0, max = 1) = 0.9 "Restitution";
    parameter Real beta(unit = "1/m", min = 0) = 0 "Air drag";
    Real x(unit = "m", start = 10, fixed = true) "Height";
    Real v(unit = "m/s", start = 0, fixed = true) "Velocity";
    Integer impacts(start = 0, fixed = true) "How many there were";
  equation
    der(x) = v;
    der(v) = -g - beta*v*noEvent(abs(v));
    when x < 0 then
      reinit(x, 0);
      reinit(v, -e*pre(v));
      impacts = pre(impacts) + 1;
    end when;
    annotation(experiment(StopTime = 20, Tolerance = 1e-10));
  end Ball;

  model ElasticBall "Contact by a force"
    parameter Real g(unit = "m/s2") = 9.81 "Gravity";
    parameter Real k(unit = "1/s2", min = 0) = 1e6 "Stiffness by mass";
    parameter Real d(unit = "1/s", min = 0) = 500 "Damping by mass";
    Real x(unit = "m", start = 10, fixed = true) "Height";
    Real v(unit = "m/s", start = 0, fixed = true) "Velocity";
    Real force(unit = "m/s2") "Contact force by mass";
  protected
    Real pull = k*x + d*v "What spring and damper would do";
  equation
    der(x) = v;
    der(v) = force - g;
    force = if noEvent(max(k*x, pull)) < 0 then -pull else 0;
    annotation(experiment(StopTime = 5, Tolerance = 1e-10));
  end ElasticBall;
end BouncingBalls;
