package Signals

  connector BooleanInput = input Boolean "a truth value that comes in";
  connector BooleanOutput = output Boolean "a truth value that goes out";
  connector IntegerInput = input Integer "a whole number that comes in";
  connector IntegerOutput = output Integer "a whole number that goes out";

  partial block BooleanSource "a truth value over time"
    BooleanOutput y;
  end BooleanSource;

  partial block BooleanSISO "one truth value in, one out"
    BooleanInput u;
    BooleanOutput y;
  end BooleanSISO;

  partial block BooleanSI2SO "two truth values in, one out"
    BooleanInput u1;
    BooleanInput u2;
    BooleanOutput y;
  end BooleanSI2SO;

  partial block Threshold "a number compared with a constant"
    RealInput u;
    BooleanOutput y;
    parameter Real threshold = 0 "what u is compared with";
  end Threshold;

  partial block Comparison "two numbers compared"
    RealInput u1;
    RealInput u2;
    BooleanOutput y;
  end Comparison;

  // ------------------------------------------------------------------ sources

  block BooleanConstant "always k"
    extends BooleanSource;
    parameter Boolean k = true "value";
  equation
    y = k;
  end BooleanConstant;

  block BooleanStep "startValue, the contrary from startTime on"
    extends BooleanSource;
    parameter Real startTime(unit = "s") = 0 "time of the change";
    parameter Boolean startValue = false "value before";
  equation
    y = if time >= startTime then not startValue else startValue;
  end BooleanStep;

  block BooleanPulse "true for a part of each period"
    extends BooleanSource;
    parameter Real width(min = 0, max = 100) = 50 "percent of the period in which y is true";
    parameter Real period(unit = "s", min = 1e-60) = 1 "period";
    parameter Real startTime(unit = "s") = 0 "begin of the first pulse";
  protected
    discrete Real began(unit = "s") "begin of the pulse";
  initial equation
    pre(began) = startTime;
  equation
    when sample(startTime, period) then
      began = time;
    end when;
    y = time >= startTime and time < began + period*width/100;
  end BooleanPulse;

  block BooleanTable "changes at each instant of a table"
    extends BooleanSource;
    parameter Real table[:](each unit = "s") "instants at which y changes, in rising order";
    parameter Boolean startValue = false "value before the first";
    final parameter Integer n = size(table, 1);
  protected
    Integer passed "instants that have been";
  equation
    passed = sum(if time >= table[i] then 1 else 0 for i in 1:n);
    y = if mod(passed, 2) == 1 then not startValue else startValue;
  end BooleanTable;

  block IntegerConstant "always k"
    IntegerOutput y;
    parameter Integer k = 1 "value";
  equation
    y = k;
  end IntegerConstant;

  block IntegerStep "a step of whole numbers"
    IntegerOutput y;
    parameter Integer height = 1 "height of the step", offset = 0 "value before";
    parameter Real startTime(unit = "s") = 0 "time of the step";
  equation
    y = offset + (if time < startTime then 0 else height);
  end IntegerStep;

  block BooleanExpression "y is what the model says: BooleanExpression e(y = body.v > 2)"
    BooleanOutput y = false;
  end BooleanExpression;

  block IntegerExpression "y is what the model says: IntegerExpression e(y = if on then 2 else 1)"
    IntegerOutput y = 0;
  end IntegerExpression;

  // ------------------------------------------------------------------ logic

  block And "true where both are"
    extends BooleanSI2SO;
  equation
    y = u1 and u2;
  end And;

  block Or "true where one is"
    extends BooleanSI2SO;
  equation
    y = u1 or u2;
  end Or;

  block Xor "true where they differ"
    extends BooleanSI2SO;
  equation
    y = not (u1 and u2 or not u1 and not u2);
  end Xor;

  block Nand "false where both are true"
    extends BooleanSI2SO;
  equation
    y = not (u1 and u2);
  end Nand;

  block Nor "true where none is"
    extends BooleanSI2SO;
  equation
    y = not (u1 or u2);
  end Nor;

  block Not "the contrary"
    extends BooleanSISO;
  equation
    y = not u;
  end Not;

  block Pre "y is u before the event: breaks loops of logic blocks"
    extends BooleanSISO;
    parameter Boolean pre_u_start = false "u before the start";
  initial equation
    pre(u) = pre_u_start;
  equation
    y = pre(u);
  end Pre;

  block Edge "true at the instant at which u becomes true"
    extends BooleanSISO;
    parameter Boolean pre_u_start = false "u before the start";
  initial equation
    pre(u) = pre_u_start;
  equation
    y = edge(u);
  end Edge;

  block FallingEdge "true at the instant at which u becomes false"
    extends BooleanSISO;
    parameter Boolean pre_u_start = false "u before the start";
  protected
    Boolean not_u;
  initial equation
    pre(not_u) = not pre_u_start;
  equation
    not_u = not u;
    y = edge(not_u);
  end FallingEdge;

  block Change "true at the instants at which u changes"
    extends BooleanSISO;
    parameter Boolean pre_u_start = false "u before the start";
  initial equation
    pre(u) = pre_u_start;
  equation
    y = change(u);
  end Change;

  block RSFlipFlop "a memory that S sets and R resets"
    BooleanInput S "set";
    BooleanInput R "reset; stronger than S";
    BooleanOutput Q "what is remembered";
    BooleanOutput QI "the contrary";
    parameter Boolean Qini = false "Q at the start";
  initial equation
    pre(Q) = Qini;
  equation
    Q = not R and (S or pre(Q));
    QI = not Q;
  end RSFlipFlop;

  block Timer "time since u became true, 0 while it is false"
    BooleanInput u;
    RealOutput y "in s";
  protected
    discrete Real entryTime(unit = "s");
  initial equation
    pre(entryTime) = 0;
  equation
    when u then
      entryTime = time;
    end when;
    y = if u then time - entryTime else 0.0;
  end Timer;

  block LogicalSwitch "one of two truth values, as a third one says"
    BooleanInput u1 "taken while u2 is true";
    BooleanInput u2;
    BooleanInput u3 "taken while u2 is false";
    BooleanOutput y;
  equation
    y = if u2 then u1 else u3;
  end LogicalSwitch;

  block Switch "one of two numbers, as a truth value says"
    RealInput u1 "taken while u2 is true";
    BooleanInput u2;
    RealInput u3 "taken while u2 is false";
    RealOutput y;
  equation
    y = if u2 then u1 else u3;
  end Switch;

  // ------------------------------------------------------------------ comparison

  block GreaterThreshold "u > threshold"
    extends Threshold;
  equation
    y = u > threshold;
  end GreaterThreshold;

  block GreaterEqualThreshold "u >= threshold"
    extends Threshold;
  equation
    y = u >= threshold;
  end GreaterEqualThreshold;

  block LessThreshold "u < threshold"
    extends Threshold;
  equation
    y = u < threshold;
  end LessThreshold;

  block LessEqualThreshold "u <= threshold"
    extends Threshold;
  equation
    y = u <= threshold;
  end LessEqualThreshold;

  block Greater "u1 > u2"
    extends Comparison;
  equation
    y = u1 > u2;
  end Greater;

  block GreaterEqual "u1 >= u2"
    extends Comparison;
  equation
    y = u1 >= u2;
  end GreaterEqual;

  block Less "u1 < u2"
    extends Comparison;
  equation
    y = u1 < u2;
  end Less;

  block LessEqual "u1 <= u2"
    extends Comparison;
  equation
    y = u1 <= u2;
  end LessEqual;

  block Hysteresis "true above uHigh, false below uLow, as before in between"
    RealInput u;
    BooleanOutput y;
    parameter Real uLow "below: false";
    parameter Real uHigh "above: true";
    parameter Boolean pre_y_start = false "y before the start";
  initial equation
    pre(y) = pre_y_start;
  equation
    assert(uHigh > uLow, "Hysteresis: uHigh must be greater than uLow");
    y = not pre(y) and u > uHigh or pre(y) and u >= uLow;
  end Hysteresis;

  block OnOffController "true while u is below the reference, with a bandwidth around it"
    RealInput reference "set point";
    RealInput u "measured";
    BooleanOutput y;
    parameter Real bandwidth(min = 0) = 0.1 "width of the band in which y does not change";
    parameter Boolean pre_y_start = false "y before the start";
  initial equation
    pre(y) = pre_y_start;
  equation
    y = pre(y) and u < reference + bandwidth/2 or u < reference - bandwidth/2;
  end OnOffController;

  // ------------------------------------------------------------------ conversion

  block BooleanToReal "realTrue or realFalse"
    BooleanInput u;
    RealOutput y;
    parameter Real realTrue = 1 "y where u is true", realFalse = 0 "y where u is false";
  equation
    y = if u then realTrue else realFalse;
  end BooleanToReal;

  block BooleanToInteger "integerTrue or integerFalse"
    BooleanInput u;
    IntegerOutput y;
    parameter Integer integerTrue = 1 "y where u is true", integerFalse = 0 "y where u is false";
  equation
    y = if u then integerTrue else integerFalse;
  end BooleanToInteger;

  block RealToBoolean "u >= threshold"
    RealInput u;
    BooleanOutput y;
    parameter Real threshold = 0.5 "what u is compared with";
  equation
    y = u >= threshold;
  end RealToBoolean;

  block RealToInteger "the nearest whole number"
    RealInput u;
    IntegerOutput y;
  equation
    y = if u > 0 then integer(floor(u + 0.5)) else integer(ceil(u - 0.5));
  end RealToInteger;

  block IntegerToReal "the same number"
    IntegerInput u;
    RealOutput y;
  equation
    y = u;
  end IntegerToReal;

  block IntegerToBoolean "u >= threshold"
    IntegerInput u;
    BooleanOutput y;
    parameter Integer threshold = 1 "what u is compared with";
  equation
    y = u >= threshold;
  end IntegerToBoolean;
end Signals;
