// A block on a moving belt, held by a spring. Dry friction carries it along until the spring is stronger, then it slips
// back. While it sticks the friction force is whatever keeps it on the belt: the equations of force and motion are solved
// together, and one variable (s) says which of the cases holds: it grows through f_stick when the block begins to slip.
model StickSlip "Dry friction with a case that is solved for"
  parameter Real m(unit = "kg") = 1 "Mass";
  parameter Real c(unit = "N/m") = 10 "Spring";
  parameter Real belt(unit = "m/s") = 0.1 "Velocity of the belt";
  parameter Real f_stick(unit = "N") = 2 "Largest force while it sticks";
  parameter Real f_slip(unit = "N") = 1 "Force while it slips back";
  Real x(unit = "m", start = 0, fixed = true) "Position";
  Real v(unit = "m/s", start = 0.1, fixed = true) "Velocity";
  Real f(unit = "N") "Friction force";
  Real s "Force that would keep it on the belt: beyond f_stick, what is missing slows it down";
  Boolean sticks(start = true) "It moves with the belt";
equation
  der(x) = v;
  m*der(v) = f - c*x;
  // slips when the force is too large, sticks again when the belt catches up with it
  sticks = if pre(sticks) then s <= f_stick else v > belt;
  f = if sticks then s else f_slip;
  der(v) = if sticks then 0 else (f_stick - s)/m;
  // what the location of the event leaves of a relative velocity
  when sticks then
    reinit(v, belt);
  end when;
  annotation(experiment(StopTime = 20));
end StickSlip;
