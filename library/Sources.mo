package Signals

  // Sources over time and simple arithmetic. Nothing but time decides when a source jumps or bends, so that the instants are
  // known ahead and no event is needed (src/equation/class_told.c). Blocks with states and events: Signals.mo, Sampled.mo.

  block Constant "A constant"
    RealOutput y "output";
    parameter Real k = 1 "value";
  equation
    y = k;
  end Constant;

  block Step "A step"
    RealOutput y "output";
    parameter Real height = 1 "height of the step";
    parameter Real offset = 0 "value before the start";
    parameter Real startTime(unit = "s") = 0 "time of the start";
  equation
    y = offset + (if time < startTime then 0 else height);
  end Step;

  block Ramp "A ramp"
    RealOutput y "output";
    parameter Real height = 1 "height of the ramp";
    parameter Real duration(unit = "s", min = 0) = 2 "duration; 0 is a step";
    parameter Real offset = 0 "value before the start";
    parameter Real startTime(unit = "s") = 0 "time of the start";
  protected
    final parameter Real T = if duration > 0 then duration else 1;
    Boolean ends = time >= startTime + duration "it bends there as well";
  equation
    y = offset + height*(if duration > 0 then min(max((time - startTime)/T, 0), 1) else if time < startTime then 0 else 1);
  end Ramp;

  block Sine "A sine"
    RealOutput y "output";
    parameter Real amplitude = 1 "amplitude";
    parameter Real f(unit = "Hz") = 1 "frequency";
    parameter Real phase(unit = "rad") = 0 "phase at the start";
    parameter Real offset = 0 "value before the start";
    parameter Real startTime(unit = "s") = 0 "time of the start";
  equation
    y = offset + (if time < startTime then 0 else amplitude*sin(6.283185307179586*f*(time - startTime) + phase));
  end Sine;

  block Gain "A factor"
    RealInput u "input";
    RealOutput y "output";
    parameter Real k = 1 "y = k u";
  equation
    y = k*u;
  end Gain;

  block Add "A weighted sum"
    RealInput u1 "input", u2 "input";
    RealOutput y "output";
    parameter Real k1 = 1 "y = k1 u1 + k2 u2", k2 = 1 "y = k1 u1 + k2 u2";
  equation
    y = k1*u1 + k2*u2;
  end Add;
end Signals;
