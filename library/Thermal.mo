package Thermal "Heat flows between bodies of one temperature each; names follow Modelica.Thermal.HeatTransfer"

  connector HeatPort "temperature and the heat that flows into the component"
    Real T(unit = "K");
    flow Real Q_flow(unit = "W");
  end HeatPort;

  model HeatCapacitor "a body that stores heat"
    HeatPort port;
    parameter Real C(unit = "J/K", min = 1e-60) "heat capacity";
    parameter Real T_start(unit = "K") = 293.15 "temperature at the start";
    Real T(unit = "K", start = T_start) "temperature";
  equation
    T = port.T;
    C*der(T) = port.Q_flow;
  end HeatCapacitor;

  partial model Element "heat from port_a to port_b"
    HeatPort port_a, port_b;
    Real Q_flow(unit = "W") "heat flow from port_a to port_b";
    Real dT(unit = "K") "port_a.T - port_b.T";
  equation
    dT = port_a.T - port_b.T;
    port_a.Q_flow = Q_flow;
    port_b.Q_flow = -Q_flow;
  end Element;

  model ThermalConductor "conduction: Q_flow = G dT"
    extends Element;
    parameter Real G(unit = "W/K", min = 0) "thermal conductance";
  equation
    Q_flow = G*dT;
  end ThermalConductor;

  model ThermalResistor "conduction: dT = R Q_flow"
    extends Element;
    parameter Real R(unit = "K/W") "thermal resistance";
  equation
    dT = R*Q_flow;
  end ThermalResistor;

  model Convection "heat from a solid to a fluid that flows past, with a conductance that is a signal: Q_flow = Gc dT"
    HeatPort solid, fluid;
    Signals.RealInput Gc "convective conductance in W/K";
    Real Q_flow(unit = "W") "heat flow from the solid to the fluid";
    Real dT(unit = "K") "solid.T - fluid.T";
  equation
    dT = solid.T - fluid.T;
    Q_flow = Gc*dT;
    solid.Q_flow = Q_flow;
    fluid.Q_flow = -Q_flow;
  end Convection;

  model BodyRadiation "radiation: Q_flow = Gr sigma (T_a^4 - T_b^4)"
    extends Element;
    parameter Real Gr(unit = "m2") "net radiation conductance: emissivity times area";
    constant Real sigma = 5.670374419e-8 "Stefan-Boltzmann constant";
  equation
    Q_flow = Gr*sigma*(port_a.T^4 - port_b.T^4);
  end BodyRadiation;

  model FixedTemperature "a reservoir"
    HeatPort port;
    parameter Real T(unit = "K") = 293.15;
  equation
    port.T = T;
  end FixedTemperature;

  model PrescribedTemperature "a reservoir whose temperature is a signal"
    HeatPort port;
    Signals.RealInput T "temperature in K";
  equation
    port.T = T;
  end PrescribedTemperature;

  model FixedHeatFlow "a constant heat flow into what is connected"
    HeatPort port;
    parameter Real Q_flow(unit = "W");
  equation
    port.Q_flow = -Q_flow;
  end FixedHeatFlow;

  model PrescribedHeatFlow "a heat flow given by a signal"
    HeatPort port;
    Signals.RealInput Q_flow "heat flow in W";
  equation
    port.Q_flow = -Q_flow;
  end PrescribedHeatFlow;

  model TemperatureSensor "y is the temperature"
    HeatPort port;
    Signals.RealOutput y "temperature in K";
  equation
    y = port.T;
    port.Q_flow = 0;
  end TemperatureSensor;

  model HeatFlowSensor "y is the heat flow from port_a to port_b"
    HeatPort port_a, port_b;
    Signals.RealOutput y "heat flow in W";
  equation
    port_a.T = port_b.T;
    port_a.Q_flow + port_b.Q_flow = 0;
    y = port_a.Q_flow;
  end HeatFlowSensor;
end Thermal;
