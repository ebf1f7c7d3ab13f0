package Signals "Blocks between sensors and drives; names and parameters follow the Modelica Standard Library where it has the block"

  partial block SISO "one number in, one out"
    RealInput u;
    RealOutput y;
  end SISO;

  partial block SI2SO "two numbers in, one out"
    RealInput u1;
    RealInput u2;
    RealOutput y;
  end SI2SO;

  // ------------------------------------------------------------------ continuous

  block Integrator "y = y_start + integral of k u"
    extends SISO;
    parameter Real k = 1 "gain";
    parameter Real y_start = 0 "y at the start";
    Real x(start = y_start);
  equation
    der(x) = k*u;
    y = x;
  end Integrator;

  block Derivative "y = k der(u), filtered with the time constant T"
    extends SISO;
    parameter Real k = 1 "gain";
    parameter Real T(unit = "s", min = 1e-60) = 0.01 "time constant of the filter";
    parameter Real x_start = 0 "u behind the filter at the start";
    Real x(start = x_start) "u behind the filter";
  equation
    der(x) = (u - x)/T;
    y = k*(u - x)/T;
  end Derivative;

  block FirstOrder "T der(y) + y = k u"
    extends SISO;
    parameter Real k = 1 "gain";
    parameter Real T(unit = "s", min = 1e-60) = 1 "time constant";
    parameter Real y_start = 0 "y at the start";
    Real x(start = y_start);
  equation
    der(x) = (k*u - x)/T;
    y = x;
  end FirstOrder;

  block SecondOrder "der(der(y)) + 2 D w der(y) + w^2 y = w^2 k u"
    extends SISO;
    parameter Real k = 1 "gain";
    parameter Real w(unit = "rad/s") = 1 "angular frequency";
    parameter Real D = 1 "damping: 1 is critical";
    parameter Real y_start = 0 "y at the start";
    parameter Real yd_start = 0 "der(y) at the start";
    Real x(start = y_start), xd(start = yd_start);
  equation
    der(x) = xd;
    der(xd) = w*(w*(k*u - x) - 2*D*xd);
    y = x;
  end SecondOrder;

  block TransferFunction "y = (b[1] s^m + ... + b[m+1])/(a[1] s^n + ... + a[n+1]) u, with m <= n"
    extends SISO;
    parameter Real b[:] = {1} "numerator, highest power first";
    parameter Real a[:] = {1, 1} "denominator, highest power first";
    final parameter Integer n = size(a, 1) - 1;
    final parameter Real bb[n + 1] = cat(1, zeros(n + 1 - size(b, 1)), b);
    final parameter Real d = bb[1]/a[1];
    parameter Real x_start[n] = zeros(n) "states at the start";
    Real x[n](start = x_start) "controller canonical form";
  equation
    der(x[1]) = (u - a[2:n + 1]*x)/a[1];
    for i in 2:n loop
      der(x[i]) = x[i - 1];
    end for;
    y = (bb[2:n + 1] - d*a[2:n + 1])*x + d*u;
  end TransferFunction;

  block StateSpace "der(x) = A x + B u, y = C x + D u, one input and one output"
    extends SISO;
    parameter Real A[:, size(A, 1)] = [1, 0; 0, 1];
    parameter Real B[size(A, 1)] = ones(size(A, 1));
    parameter Real C[size(A, 1)] = ones(size(A, 1));
    parameter Real D = 0;
    parameter Real x_start[size(A, 1)] = zeros(size(A, 1)) "states at the start";
    Real x[size(A, 1)](start = x_start);
  equation
    der(x) = A*x + B*u;
    y = C*x + D*u;
  end StateSpace;

  block PI "y = k (u + integral of u / T)"
    extends SISO;
    parameter Real k = 1 "gain";
    parameter Real T(unit = "s", min = 1e-60) = 1 "time of the integral part";
    parameter Real x_start = 0 "integral of u / T at the start";
    Real x(start = x_start) "integral of u / T";
  equation
    der(x) = u/T;
    y = k*(x + u);
  end PI;

  block PID "y = k (u + integral of u / Ti + Td der(u)), the derivative filtered with Td/Nd"
    extends SISO;
    parameter Real k = 1 "gain";
    parameter Real Ti(unit = "s", min = 1e-60) = 0.5 "time of the integral part";
    parameter Real Td(unit = "s", min = 0) = 0.1 "time of the derivative part";
    parameter Real Nd(min = 1e-60) = 10 "the higher, the less the derivative is filtered";
    parameter Real xi_start = 0 "integral part at the start", xd_start = 0 "u behind the filter at the start";
    final parameter Real T = if Td > 0 then Td/Nd else 1;
    Real I(start = xi_start) "integral part", D(start = xd_start) "u behind the filter";
  equation
    der(I) = u/Ti;
    der(D) = (u - D)/T;
    y = k*(u + I + Td*(u - D)/T);
  end PID;

  type SimpleController = enumeration(P "proportional alone", PI "with the integral part", PD "with the derivative part", PID "with both");

  block LimPID "PID controller for a set point, with a limited output and an integral part that does not wind up"
    RealInput u_s "set point";
    RealInput u_m "measured";
    RealOutput y;
    parameter SimpleController controllerType = SimpleController.PID "which parts it has";
    parameter Real k = 1 "gain";
    parameter Real Ti(unit = "s", min = 1e-60) = 0.5 "time of the integral part";
    parameter Real Td(unit = "s", min = 0) = 0.1 "time of the derivative part; 0: PI controller";
    parameter Real yMax "upper limit of y";
    parameter Real yMin = -yMax "lower limit of y";
    parameter Real wp = 1 "weight of the set point in the proportional part";
    parameter Real wd = 0 "weight of the set point in the derivative part";
    parameter Real Ni(min = 1e-60) = 0.9 "Ni Ti is the time in which the integral part comes back from a limit";
    parameter Real Nd(min = 1e-60) = 10 "the higher, the less the derivative is filtered";
    parameter Real xi_start = 0 "integral part at the start", xd_start = 0 "input of the derivative behind the filter at the start";
    final parameter Real T = if Td > 0 then Td/Nd else 1;
    final parameter Real withI = if controllerType == SimpleController.PI or controllerType == SimpleController.PID then 1 else 0;
    final parameter Real withD = if controllerType == SimpleController.PD or controllerType == SimpleController.PID then Td/T else 0;
    Real I(start = xi_start) "integral part", D(start = xd_start) "input of the derivative behind the filter";
    Real free "y without limits";
  equation
    free = k*(wp*u_s - u_m + withI*I + withD*(wd*u_s - u_m - D));
    y = smooth(0, if free > yMax then yMax else if free < yMin then yMin else free);
    der(I) = withI*(u_s - u_m + (y - free)/(k*Ni))/Ti;
    der(D) = (wd*u_s - u_m - D)/T;
  end LimPID;

  function padeCoefficients "c[k + 1] (s T)^k, k = 0 ... n, is the denominator of the Pade approximation of exp(-s T)"
    input Integer n;
    output Real c[n + 1];
  algorithm
    c[1] := 1;
    for k in 1:n loop
      c[k + 1] := c[k]*(n - k + 1)/(k*(2*n - k + 1));
    end for;
  end padeCoefficients;

  block PadeDelay "u delayed by delayTime, as a rational function of order n: right for w delayTime up to about n"
    extends SISO;
    parameter Real delayTime(unit = "s", min = 1e-60) "delay";
    parameter Integer n(min = 1) = 3 "order";
    final parameter Real c[n + 1] = padeCoefficients(n);
    Real x[n](each start = 0) "controller canonical form, in time/delayTime; x[n] changes slowest";
    Real top "derivative of x[1] times delayTime";
  equation
    top = (u - sum(c[k + 1]*x[n - k] for k in 0:n - 1))/c[n + 1];
    delayTime*der(x[1]) = top;
    for i in 2:n loop
      delayTime*der(x[i]) = x[i - 1];
    end for;
    y = sum((if mod(k, 2) == 0 then 1 else -1)*c[k + 1]*x[n - k] for k in 0:n - 1) + (if mod(n, 2) == 0 then 1 else -1)*c[n + 1]*top;
  end PadeDelay;

  block FixedDelay "y = u(time - delayTime); u at the start until then"
    extends SISO;
    parameter Real delayTime(unit = "s", min = 0) = 1 "delay";
  equation
    y = delay(u, delayTime);
  end FixedDelay;

  block VariableDelay "y = u1(time - u2), with 0 < u2 <= delayMax"
    RealInput u1 "what is delayed";
    RealInput u2 "delay in s";
    RealOutput y;
    parameter Real delayMax(unit = "s", min = 1e-60) = 1 "longest delay";
  equation
    y = delay(u1, u2, delayMax);
  end VariableDelay;

  // ------------------------------------------------------------------ sources

  partial block Source "a number over time"
    RealOutput y;
    parameter Real offset = 0 "value before the start, and added after it";
    parameter Real startTime(unit = "s") = 0 "time of the start";
  end Source;

  block ContinuousClock "the time since startTime"
    extends Source;
  equation
    y = offset + (if time < startTime then 0 else time - startTime);
  end ContinuousClock;

  block SawTooth "rises from 0 to amplitude in each period"
    extends Source;
    parameter Real amplitude = 1 "height of the teeth", period(unit = "s", min = 1e-60) = 1 "period";
  protected
    Integer count "teeth that have begun";
  equation
    count = integer((time - startTime)/period);
    y = offset + (if time < startTime then 0 else amplitude*(time - startTime - count*period)/period);
  end SawTooth;

  block Trapezoid "rises, stays, falls and waits in each period"
    extends Source;
    parameter Real amplitude = 1 "height";
    parameter Real rising(unit = "s", min = 0) = 0 "time of the rise", width(unit = "s", min = 0) = 0.5 "time at the top";
    parameter Real falling(unit = "s", min = 0) = 0 "time of the fall", period(unit = "s", min = 1e-60) = 1 "period";
  protected
    discrete Real began(unit = "s") "begin of the period";
    Real t(unit = "s") "time in the period";
  initial equation
    pre(began) = startTime;
  equation
    when sample(startTime, period) then
      began = time;
    end when;
    t = time - began;
    y = offset + (if time < startTime then 0
      else if time < began + rising then amplitude*t/max(rising, 1e-60)
      else if time < began + rising + width then amplitude
      else if time < began + rising + width + falling then amplitude*(rising + width + falling - t)/max(falling, 1e-60)
      else 0);
  end Trapezoid;

  // ------------------------------------------------------------------ mathematics

  block Sum "y = k u: the weighted sum of nin numbers"
    parameter Integer nin(min = 0) = 1 "number of inputs";
    parameter Real k[nin] = ones(nin) "weights";
    RealInput u[nin];
    RealOutput y;
  equation
    y = k*u;
  end Sum;

  block Add3 "y = k1 u1 + k2 u2 + k3 u3"
    parameter Real k1 = 1 "weight of u1", k2 = 1 "weight of u2", k3 = 1 "weight of u3";
    RealInput u1, u2, u3;
    RealOutput y;
  equation
    y = k1*u1 + k2*u2 + k3*u3;
  end Add3;

  block Product "y = u1 u2"
    extends SI2SO;
  equation
    y = u1*u2;
  end Product;

  block Division "y = u1/u2"
    extends SI2SO;
  equation
    y = u1/u2;
  end Division;

  block Feedback "y = u1 - u2"
    extends SI2SO;
  equation
    y = u1 - u2;
  end Feedback;

  block Min "the smaller of the two"
    extends SI2SO;
  equation
    y = min(u1, u2);
  end Min;

  block Max "the larger of the two"
    extends SI2SO;
  equation
    y = max(u1, u2);
  end Max;

  block Abs "y = |u|"
    extends SISO;
  equation
    y = abs(u);
  end Abs;

  block Sqrt "y = sqrt(u), u >= 0"
    extends SISO;
  equation
    y = sqrt(u);
  end Sqrt;

  block Sin "y = sin(u)"
    extends SISO;
  equation
    y = sin(u);
  end Sin;

  block Cos "y = cos(u)"
    extends SISO;
  equation
    y = cos(u);
  end Cos;

  block Tan "y = tan(u)"
    extends SISO;
  equation
    y = tan(u);
  end Tan;

  block Exp "y = exp(u)"
    extends SISO;
  equation
    y = exp(u);
  end Exp;

  block Log "y = log(u), the natural logarithm, u > 0"
    extends SISO;
  equation
    y = log(u);
  end Log;

  block Sign "y = -1, 0 or 1, the sign of u"
    extends SISO;
  equation
    y = sign(u);
  end Sign;

  block Atan2 "y = atan2(u1, u2)"
    extends SI2SO;
  equation
    y = atan2(u1, u2);
  end Atan2;

  block RealExpression "y is what the model says: RealExpression e(y = 2*body.v)"
    RealOutput y = 0.0;
  end RealExpression;

  // ------------------------------------------------------------------ not linear

  block Limiter "y = u between uMin and uMax"
    extends SISO;
    parameter Real uMax = 1 "upper limit";
    parameter Real uMin = -uMax "lower limit";
  equation
    y = smooth(0, if u > uMax then uMax else if u < uMin then uMin else u);
  end Limiter;

  block VariableLimiter "y = u between limits that are signals"
    extends SISO;
    RealInput limit1 "upper limit";
    RealInput limit2 "lower limit";
  equation
    y = smooth(0, if u > limit1 then limit1 else if u < limit2 then limit2 else u);
  end VariableLimiter;

  block DeadZone "y = 0 between uMin and uMax, beyond what u has more"
    extends SISO;
    parameter Real uMax = 1 "upper limit";
    parameter Real uMin = -uMax "lower limit";
  equation
    y = smooth(0, if u > uMax then u - uMax else if u < uMin then u - uMin else 0);
  end DeadZone;

  block SlewRateLimiter "y follows u as fast as Rising and Falling allow"
    extends SISO;
    parameter Real Rising(min = 1e-60) = 1 "fastest rise of y in a second";
    parameter Real Falling(max = -1e-60) = -Rising "fastest fall of y in a second";
    parameter Real Td(unit = "s", min = 1e-60) = 0.001 "time constant with which y follows within the limits";
    parameter Real y_start = 0 "y at the start";
    Real x(start = y_start), rate;
  equation
    rate = (u - x)/Td;
    der(x) = smooth(0, if rate > Rising then Rising else if rate < Falling then Falling else rate);
    y = x;
  end SlewRateLimiter;
end Signals;
