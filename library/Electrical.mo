package Electrical "Electrical networks; names follow Modelica.Electrical.Analog where it has the component"

  connector Pin "potential, and the current that flows into the component"
    Real v(unit = "V") "potential";
    flow Real i(unit = "A") "current into the component";
  end Pin;

  partial model OnePort "a current from p to n"
    Pin p "positive pin", n "negative pin";
    Real v(unit = "V") "voltage between p and n";
    Real i(unit = "A") "current from p to n";
  equation
    v = p.v - n.v;
    i = p.i;
    p.i + n.i = 0;
  end OnePort;

  partial model ConditionalHeatPort "loss that becomes heat, and a port for it where it is wanted"
    parameter Boolean useHeatPort = false "the loss leaves through heatPort";
    Thermal.HeatPort heatPort(Q_flow = -LossPower) if useHeatPort "connect it to what becomes warm";
    Real LossPower(unit = "W") "power that becomes heat";
  end ConditionalHeatPort;

  model Ground "potential zero; every network needs one"
    Pin p;
  equation
    p.v = 0;
  end Ground;

  model Resistor "resistance"
    extends OnePort;
    extends ConditionalHeatPort;
    parameter Real R(unit = "Ohm") = 1 "resistance";
  equation
    v = R*i;
    LossPower = v*i;
  end Resistor;

  model Conductor "conductance"
    extends OnePort;
    extends ConditionalHeatPort;
    parameter Real G(unit = "S") = 1 "conductance";
  equation
    i = G*v;
    LossPower = v*i;
  end Conductor;

  model Capacitor "capacitance"
    extends OnePort(v(start = 0));
    parameter Real C(unit = "F", min = 1e-60) = 1 "capacitance";
  equation
    C*der(v) = i;
  end Capacitor;

  model Inductor "inductance"
    extends OnePort(i(start = 0));
    parameter Real L(unit = "H", min = 1e-60) = 1 "inductance";
  equation
    L*der(i) = v;
  end Inductor;

  model VariableResistor "resistance given by a signal, zero included"
    extends OnePort;
    extends ConditionalHeatPort;
    Signals.RealInput R "resistance in Ohm";
  equation
    v = R*i;
    LossPower = v*i;
  end VariableResistor;

  model IdealDiode "diode that blocks or conducts"
    extends OnePort;
    extends ConditionalHeatPort;
    parameter Real Vforward(unit = "V", min = 0) = 0 "forward voltage";
    parameter Real Ron(unit = "Ohm", min = 0) = 0 "resistance while it conducts; > 0 if parallel to a voltage";
    parameter Real Goff(unit = "S", min = 0) = 0 "conductance while it blocks; > 0 at a node of diodes and inductors alone";
    Real margin "to the knee: voltage, or minus the current beyond";
    Boolean conducts;
  equation
    conducts = margin < 0;
    v = Vforward - margin*(if conducts then Ron else 1);
    i = Goff*Vforward - margin*(if conducts then 1 else Goff);
    LossPower = v*i;
  end IdealDiode;

  model ShockleyDiode "diode with exponential law"
    extends OnePort(v(start = 0));
    extends ConditionalHeatPort;
    parameter Real I_S(unit = "A", min = 1e-60) = 1e-12 "saturation current";
    parameter Real U_T(unit = "V", min = 1e-60) = 0.025 "temperature voltage";
  equation
    i = I_S*(exp(v/U_T) - 1);
    LossPower = v*i;
  end ShockleyDiode;

  model ConstantVoltage "voltage source"
    extends OnePort;
    parameter Real V(unit = "V") = 1;
  equation
    v = V;
  end ConstantVoltage;

  model SineVoltage "voltage source, a sine"
    extends OnePort;
    parameter Real V(unit = "V") = 1 "amplitude", f(unit = "Hz") = 1 "frequency", phase(unit = "rad") = 0 "phase at the start";
    parameter Real offset(unit = "V") = 0 "voltage before the start, and added to the sine", startTime(unit = "s") = 0;
  equation
    v = offset + (if time < startTime then 0 else V*sin(2*3.141592653589793*f*(time - startTime) + phase));
  end SineVoltage;

  model EMF "electrical and mechanical power: v = k w, tau = k i"
    Pin p, n;
    Dialectic.Rotational.Flange flange;
    parameter Real k(unit = "N.m/A") = 1;
    Real v(unit = "V"), i(unit = "A");
  equation
    v = p.v - n.v;
    i = p.i;
    p.i + n.i = 0;
    v = k*flange.w;
    flange.tau_el = -k*i;
    flange.tau_ki = 0;
  end EMF;
  model StepVoltage "voltage source that jumps"
    extends OnePort;
    parameter Real V(unit = "V") = 1 "height", offset(unit = "V") = 0 "before", startTime(unit = "s") = 0;
  equation
    v = offset + (if time < startTime then 0 else V);
  end StepVoltage;

  model SignalVoltage "voltage source given by a signal"
    extends OnePort;
    Signals.RealInput u "voltage in V";
  equation
    v = u;
  end SignalVoltage;

  model ConstantCurrent "current source: I flows from p to n through it"
    extends OnePort;
    parameter Real I(unit = "A") = 1;
  equation
    i = I;
  end ConstantCurrent;

  model SignalCurrent "current source given by a signal"
    extends OnePort;
    Signals.RealInput u "current in A from p to n";
  equation
    i = u;
  end SignalCurrent;

  partial model TwoPort "two ports: what one has decides the other"
    Pin p1, n1, p2, n2;
    Real v1(unit = "V") "voltage of the first port", v2(unit = "V") "voltage of the second port";
    Real i1(unit = "A") "current into p1", i2(unit = "A") "current into p2";
  equation
    v1 = p1.v - n1.v;
    v2 = p2.v - n2.v;
    i1 = p1.i;
    i2 = p2.i;
    p1.i + n1.i = 0;
    p2.i + n2.i = 0;
  end TwoPort;

  model VCV "voltage source controlled by a voltage: v2 = gain v1"
    extends TwoPort;
    parameter Real gain = 1 "voltage per voltage";
  equation
    v2 = gain*v1;
    i1 = 0;
  end VCV;

  model VCC "current source controlled by a voltage: i2 = transConductance v1"
    extends TwoPort;
    parameter Real transConductance(unit = "S") = 1 "current per voltage";
  equation
    i2 = transConductance*v1;
    i1 = 0;
  end VCC;

  model CCV "voltage source controlled by a current: v2 = transResistance i1"
    extends TwoPort;
    parameter Real transResistance(unit = "Ohm") = 1 "voltage per current";
  equation
    v2 = transResistance*i1;
    v1 = 0;
  end CCV;

  model CCC "current source controlled by a current: i2 = gain i1"
    extends TwoPort;
    parameter Real gain = 1 "current per current";
  equation
    i2 = gain*i1;
    v1 = 0;
  end CCC;

  model StepCurrent "current source that jumps"
    extends OnePort;
    parameter Real I(unit = "A") = 1 "height", offset(unit = "A") = 0 "before", startTime(unit = "s") = 0;
  equation
    i = offset + (if time < startTime then 0 else I);
  end StepCurrent;

  model SineCurrent "current source, a sine"
    extends OnePort;
    parameter Real I(unit = "A") = 1 "amplitude", f(unit = "Hz") = 1 "frequency", phase(unit = "rad") = 0;
  equation
    i = I*sin(2*3.141592653589793*f*time + phase);
  end SineCurrent;

  model ZDiode "ideal diode that lets current through in reverse beyond Vz"
    extends OnePort;
    extends ConditionalHeatPort;
    parameter Real Vforward(unit = "V", min = 0) = 0.7 "forward voltage", Vz(unit = "V", min = 0) = 5 "Zener voltage";
    parameter Real Ron(unit = "Ohm", min = 1e-60) = 0.1 "resistance while it conducts";
    parameter Real Goff(unit = "S", min = 0) = 1e-6 "conductance while it blocks";
    Real forward "beyond the knee", reverse "beyond the Zener voltage";
  equation
    forward = v - Vforward;
    reverse = -v - Vz;
    i = Goff*v + (if forward > 0 then forward/Ron else 0) - (if reverse > 0 then reverse/Ron else 0);
    LossPower = v*i;
  end ZDiode;

  model IdealThyristor "a diode that conducts from the moment it is fired until its current ends"
    extends OnePort;
    extends ConditionalHeatPort;
    input Boolean fire "conduct from now on";
    parameter Real Vknee(unit = "V", min = 0) = 0 "forward voltage";
    parameter Real Ron(unit = "Ohm", min = 0) = 1e-5 "resistance while it conducts";
    parameter Real Goff(unit = "S", min = 0) = 1e-5 "conductance while it blocks";
    Boolean off(start = true) "it blocks";
    Real s "voltage while it blocks, current while it conducts";
  equation
    off = s < 0 or pre(off) and not fire;
    v = s*(if off then 1 else Ron) + Vknee;
    i = s*(if off then Goff else 1) + Goff*Vknee;
    LossPower = v*i;
  end IdealThyristor;

  model IdealSwitch "closed while the signal is positive"
    extends OnePort;
    extends ConditionalHeatPort;
    Signals.RealInput u "closed where u > 0";
    parameter Real Ron(unit = "Ohm", min = 0) = 1e-5 "resistance while it is closed";
    parameter Real Goff(unit = "S", min = 0) = 1e-5 "conductance while it is open";
    Boolean closed;
    Real s;
  equation
    closed = u > 0;
    v = s*(if closed then Ron else 1);
    i = s*(if closed then 1 else Goff);
    LossPower = v*i;
  end IdealSwitch;

  model IdealClosingSwitch "closed while its control is true"
    extends OnePort;
    extends ConditionalHeatPort;
    Signals.BooleanInput control "closed where it is true";
    parameter Real Ron(unit = "Ohm", min = 0) = 1e-5 "resistance while it is closed";
    parameter Real Goff(unit = "S", min = 0) = 1e-5 "conductance while it is open";
    Real s;
  equation
    v = s*(if control then Ron else 1);
    i = s*(if control then 1 else Goff);
    LossPower = v*i;
  end IdealClosingSwitch;

  model IdealOpAmp "amplifier without limits: no voltage and no current between its inputs"
    Pin in_p "positive input", in_n "negative input", out "output";
  equation
    in_p.v = in_n.v;
    in_p.i = 0;
    in_n.i = 0;
  end IdealOpAmp;

  model OpAmp "amplifier with a finite gain and limits"
    Pin in_p "positive input", in_n "negative input", out "output";
    parameter Real V0(min = 1) = 15000 "gain";
    parameter Real VMax(unit = "V") = 15, VMin(unit = "V") = -VMax "limits of the output";
    Real v_in(unit = "V");
  equation
    v_in = in_p.v - in_n.v;
    in_p.i = 0;
    in_n.i = 0;
    out.v = smooth(0, if V0*v_in > VMax then VMax else if V0*v_in < VMin then VMin else V0*v_in);
  end OpAmp;

  model IdealTransformer "v1 = n v2, i2 = -n i1"
    extends TwoPort;
    parameter Real n = 1 "turns ratio, primary to secondary";
  equation
    v1 = n*v2;
    i2 = -n*i1;
  end IdealTransformer;

  model HeatingResistor "a resistor whose loss leaves through a heat port and whose resistance follows the temperature"
    extends OnePort;
    Thermal.HeatPort port;
    parameter Real R(unit = "Ohm") = 1 "resistance at T_ref", T_ref(unit = "K") = 293.15;
    parameter Real alpha(unit = "1/K") = 0 "temperature coefficient";
    Real R_actual(unit = "Ohm");
  equation
    R_actual = R*(1 + alpha*(port.T - T_ref));
    v = R_actual*i;
    port.Q_flow = -v*i;
  end HeatingResistor;

  model VoltageSensor "y is the voltage between p and n"
    Pin p, n;
    Signals.RealOutput y "in V";
  equation
    y = p.v - n.v;
    p.i = 0;
    n.i = 0;
  end VoltageSensor;

  model CurrentSensor "y is the current from p to n"
    Pin p, n;
    Signals.RealOutput y "in A";
  equation
    p.v = n.v;
    p.i + n.i = 0;
    y = p.i;
  end CurrentSensor;

  model PotentialSensor "y is the potential of p"
    Pin p;
    Signals.RealOutput y "in V";
  equation
    y = p.v;
    p.i = 0;
  end PotentialSensor;

  model PowerSensor "y is the power of what is behind it: current from pc to nc times voltage between pv and nv"
    Pin pc, nc, pv, nv;
    Signals.RealOutput y "in W";
  equation
    pc.v = nc.v;
    pc.i + nc.i = 0;
    pv.i = 0;
    nv.i = 0;
    y = pc.i*(pv.v - nv.v);
  end PowerSensor;

  model LinearEMF "electrical and mechanical power along a line: v = k v_mech, f = k i"
    extends OnePort;
    Dialectic.Translational.Flange flange;
    parameter Real k(unit = "N/A") = 1;
  equation
    v = k*flange.v;
    flange.f_el = -k*i;
    flange.f_ki = 0;
  end LinearEMF;
end Electrical;
