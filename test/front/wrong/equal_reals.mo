model M
  Real x(start = 0, fixed = true);
  discrete Real z(start = 0, fixed = true);
  parameter Real p = 1;
  Real q = 2*p;
  Boolean meant = noEvent(x == 0.25), of_events = z == 1, of_parameters = q <> 2;
  Boolean hit = x == 0.5;
  Real y;
equation
  der(x) = 1;
  y = if time <> 0.5 then 1 else 2;
  when x > 0.7 then
    z = if x == 3 then 2 else 1;
  end when;
end M;
// warning 7: these Reals vary: they are equal at single instants
// warning 11: these Reals vary: they are equal at single instants
