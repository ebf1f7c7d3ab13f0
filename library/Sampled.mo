package Signals

  partial block Discrete "a block that works at instants startTime + k samplePeriod"
    parameter Real samplePeriod(unit = "s", min = 1e-12) "time from one sample to the next";
    parameter Real startTime(unit = "s") = 0 "first sample";
  protected
    Boolean sampleTrigger "true at the instants";
  equation
    sampleTrigger = sample(startTime, samplePeriod);
  end Discrete;

  partial block DiscreteSISO "one number in, one out, at instants"
    extends Discrete;
    RealInput u;
    RealOutput y;
  end DiscreteSISO;

  block Sampler "y = u at the instants, held in between"
    extends DiscreteSISO;
  protected
    discrete Real held(start = 0);
  equation
    when {sampleTrigger, initial()} then
      held = u;
    end when;
    y = held;
  end Sampler;

  block ZeroOrderHold "y = u at the instants, held in between; at an instant still what was held"
    extends DiscreteSISO;
  protected
    discrete Real ySample(start = 0, fixed = true);
  equation
    when {sampleTrigger, initial()} then
      ySample = u;
    end when;
    y = pre(ySample);
  end ZeroOrderHold;

  block FirstOrderHold "y goes on along the line through the last two samples"
    extends DiscreteSISO;
  protected
    discrete Real ySample(start = 0), tSample(start = 0), c(start = 0);
  equation
    when sampleTrigger then
      ySample = u;
      tSample = time;
      c = if time > startTime + samplePeriod/2 then (ySample - pre(ySample))/samplePeriod else 0.0;
    end when;
    y = ySample + c*(time - tSample);
  end FirstOrderHold;

  block UnitDelay "y = u of the instant before"
    extends DiscreteSISO;
    parameter Real y_start = 0 "y up to the second instant";
  protected
    discrete Real now(start = y_start), before(start = y_start);
  equation
    when sampleTrigger then
      now = u;
      before = pre(now);
    end when;
    y = before;
  end UnitDelay;

  block DiscreteTransferFunction "y = (b[1] z^m + ... + b[m+1])/(a[1] z^n + ... + a[n+1]) u, with m <= n"
    extends DiscreteSISO;
    parameter Real b[:] = {1} "numerator, highest power first";
    parameter Real a[:] = {1} "denominator, highest power first";
    final parameter Integer n = size(a, 1) - 1;
    final parameter Real bb[n + 1] = cat(1, zeros(n + 1 - size(b, 1)), b);
  protected
    discrete Real w[n + 1](each start = 0) "controller canonical form: w[1] now, w[2] one instant ago ...";
    discrete Real held(start = 0);
  equation
    when sampleTrigger then
      w[1] = (u - sum(a[i + 1]*pre(w[i]) for i in 1:n))/a[1];
      for i in 1:n loop
        w[i + 1] = pre(w[i]);
      end for;
      held = bb*w;
    end when;
    y = held;
  end DiscreteTransferFunction;

  block DiscreteStateSpace "x of the next instant = A x + B u, y = C x + D u, one input and one output"
    extends DiscreteSISO;
    parameter Real A[:, size(A, 1)];
    parameter Real B[size(A, 1)];
    parameter Real C[size(A, 1)];
    parameter Real D = 0;
    parameter Real x_start[size(A, 1)] = zeros(size(A, 1)) "x of the first instant";
  protected
    discrete Real next[size(A, 1)](start = x_start) "x of the next instant";
    discrete Real held(start = 0);
  equation
    when sampleTrigger then
      next = A*pre(next) + B*u;
      held = C*pre(next) + D*u;
    end when;
    y = held;
  end DiscreteStateSpace;

  block TriggeredSampler "y = u when the trigger becomes true, held in between"
    RealInput u;
    BooleanInput trigger;
    RealOutput y;
    parameter Real y_start = 0 "y before the first trigger";
  protected
    discrete Real held(start = y_start);
  equation
    when trigger then
      held = u;
    end when;
    y = held;
  end TriggeredSampler;

  block SampledPID "PID controller of a computer: sampled, limited, and its integral part stops at the limits"
    extends Discrete;
    RealInput u_s "set point";
    RealInput u_m "measured";
    RealOutput y;
    parameter Real k = 1 "gain";
    parameter Real Ti(unit = "s", min = 1e-60) = 0.5 "time of the integral part";
    parameter Real Td(unit = "s", min = 0) = 0 "time of the derivative part";
    parameter Real Nd(min = 1e-60) = 10 "the higher, the less the derivative is filtered";
    parameter Real yMax = 1e300 "upper limit of y", yMin = -yMax "lower limit of y";
    final parameter Real q = Td/(Td + Nd*samplePeriod) "pole of the filter";
    discrete Real e(start = 0) "error at the instant";
    discrete Real I(start = 0) "integral part";
    discrete Real D(start = 0) "derivative part";
    discrete Real m(start = 0) "u_m at the instant";
    discrete Real free(start = 0) "y without limits";
  protected
    discrete Real held(start = 0);
    discrete Boolean began(start = false, fixed = true);
  equation
    when sampleTrigger then
      began = true;
      e = u_s - u_m;
      m = u_m;
      D = q*pre(D) - (if pre(began) then k*Nd*(1 - q)*(m - pre(m))*(if Td > 0 then 1 else 0) else 0.0);
      free = k*e + pre(I) + k*samplePeriod/Ti*e + D;
      I = if free > yMax and e*k > 0 or free < yMin and e*k < 0 then pre(I) else pre(I) + k*samplePeriod/Ti*e;
      held = min(max(k*e + I + D, yMin), yMax);
    end when;
    y = held;
  end SampledPID;

  // ------------------------------------------------------------------ noise

  function startOfNoise "two whole numbers from a seed, mixed so that neighbouring seeds have nothing in common"
    input Integer seed;
    output Real s[2];
  algorithm
    s := {mod(abs(seed)*69069.0 + 1, 2147483562) + 1, mod(abs(seed)*1664525.0 + (if seed < 0 then 7 else 3), 2147483398) + 1};
    for i in 1:20 loop
      s := {mod(40014*s[1], 2147483563), mod(40692*s[2], 2147483399)};
    end for;
  end startOfNoise;

  partial block Noise "numbers at random, equal in every run: two multiplicative generators combined (L'Ecuyer, CACM 31, 1988)"
    extends Discrete;
    RealOutput y;
    parameter Integer seed = 1 "another seed, another sequence";
    parameter Boolean enableNoise = true "false: y = y_off";
    parameter Real y_off = 0 "y without noise";
  protected
    final parameter Real s_start[2] = startOfNoise(seed);
    discrete Real s[2](start = s_start) "states of the generators: whole numbers";
    discrete Real r "uniform between 0 and 1, neither included";
    discrete Real next "y with noise";
  equation
    when {sampleTrigger, initial()} then
      s[1] = mod(40014*pre(s[1]), 2147483563);
      s[2] = mod(40692*pre(s[2]), 2147483399);
      r = (mod(s[1] - s[2] - 1, 2147483562) + 1)/2147483563;
    end when;
    y = if enableNoise then next else y_off;
  end Noise;

  block UniformNoise "noise, uniform between y_min and y_max, new at each instant"
    extends Noise;
    parameter Real y_min = -1 "least value", y_max = 1 "greatest value";
  equation
    next = y_min + (y_max - y_min)*r;
  end UniformNoise;

  block NormalNoise "noise of a normal distribution, new at each instant"
    extends Noise;
    parameter Real mu = 0 "mean", sigma(min = 0) = 1 "standard deviation";
  protected
    discrete Real q[2](start = s_start_q) "states of a second generator";
    discrete Real r2 "uniform between 0 and 1";
    final parameter Real s_start_q[2] = startOfNoise(seed + 1000003);
  equation
    when {sampleTrigger, initial()} then
      q[1] = mod(40014*pre(q[1]), 2147483563);
      q[2] = mod(40692*pre(q[2]), 2147483399);
      r2 = (mod(q[1] - q[2] - 1, 2147483562) + 1)/2147483563;
      next = mu + sigma*sqrt(-2*log(r))*cos(6.283185307179586*r2) "Box and Muller";
    end when;
  end NormalNoise;
end Signals;
