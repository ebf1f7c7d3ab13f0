// The rotating pendulum of paper 002 (case study 3): a mass on a rope turns about a fixed point. While the rope is tight its angle moves; where the force
// of the rope falls below zero the mass flies, until the rope is tight again and the radial velocity is lost. Both motions stand beside each other
// (the largest state space); the one that does not count rests, and takes over the position and the velocity when its turn comes.
model RotatingPendulum "Pendulum on a rope with free flight"
  parameter Real m(unit = "kg") = 1.5 "Mass";
  parameter Real k(unit = "kg/s") = 0.9 "Damping";
  parameter Real l(unit = "m") = 1 "Length of the rope";
  constant Real g(unit = "m/s2") = 9.81 "Gravity";
  constant Real pi = 3.14159265358979323846;
  Real phi(unit = "rad", start = pi/4, fixed = true) "Angle from the upper perpendicular";
  Real w(unit = "rad/s", start = 15, fixed = true) "Its velocity";
  Real x(unit = "m", start = 0, fixed = true), y(unit = "m", start = 0, fixed = true) "Position of the flying mass";
  Real vx(unit = "m/s", start = 0, fixed = true), vy(unit = "m/s", start = 0, fixed = true) "Velocity of the flying mass";
  Boolean bound(start = true, fixed = true) "The rope is tight";
  Real force(unit = "N") = m*(l*w*w - g*cos(phi)) "Of the rope, while it is tight";
  Real px(unit = "m") = if bound then l*sin(phi) else x "Position";
  Real py(unit = "m") = if bound then l*cos(phi) else y;
protected
  Real slack(unit = "m") = if bound then 1 else l + 1e-12 - sqrt(x*x + y*y) "Of the loose rope: it leaves the circle with t^3";
  Real pull(unit = "N") = if bound then force else 1;
  Real angle(unit = "rad") = atan2(x, y);
equation
  der(phi) = if bound then w else 0;
  der(w) = if bound then g/l*sin(phi) - k/m*w else 0;
  der(x) = if bound then 0 else vx;
  der(y) = if bound then 0 else vy;
  der(vx) = if bound then 0 else -k/m*vx;
  der(vy) = if bound then 0 else -g - k/m*vy;
  when pull < 0 then
    bound = false;
    reinit(x, l*sin(phi));
    reinit(y, l*cos(phi));
    reinit(vx, l*w*cos(phi));
    reinit(vy, -l*w*sin(phi));
  elsewhen slack < 0 then
    bound = true;
    reinit(phi, if angle < 0 then angle + 2*pi else angle);
    reinit(w, (vx*cos(angle) - vy*sin(angle))/l);
  end when;
  annotation(experiment(StopTime = 10, Tolerance = 1e-10));
end RotatingPendulum;
