// A ball that falls on the ground. Each impact keeps the fraction e of its velocity, so that the impacts come faster and
// faster until they are closer than they can be told apart: then the ball rests (Modelica specification, section 8.6).
model BouncingBall "Impacts, and rest in the end"
  parameter Real e(min = 0, max = 1) = 0.7 "Coefficient of restitution";
  parameter Real g(unit = "m/s2") = 9.81 "Gravity";
  Real h(unit = "m", start = 1, fixed = true) "Height";
  Real v(unit = "m/s", start = 0, fixed = true) "Velocity";
  Boolean flying(start = true, fixed = true) "The ball has not come to rest";
  Boolean impact "The ball touches the ground";
  discrete Real v_new(unit = "m/s", start = 0, fixed = true) "Velocity after the last impact";
  Integer bounces(start = 0) "How many impacts there were";
equation
  impact = h <= 0;
  der(v) = if flying then -g else 0;
  der(h) = v;
  when {h <= 0 and v <= 0, impact} then
    v_new = if edge(impact) then -e*pre(v) else 0;
    flying = v_new > 0;
    reinit(v, v_new);
    bounces = pre(bounces) + 1;
  end when;
  annotation(experiment(StopTime = 3));
end BouncingBall;
