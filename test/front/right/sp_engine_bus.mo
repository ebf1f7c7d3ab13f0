package P
  connector RI=input Real; connector RO=output Real;
    expandable connector EngineBus end EngineBus;
  block Sensor RO speed=time; end Sensor; block Actuator RI speed; Real y=2*speed; end Actuator;
  model SensorW EngineBus bus; Sensor sensor; equation connect(bus.speed,sensor.speed);
    end SensorW; model ActW EngineBus bus; Actuator actuator;
    equation connect(bus.speed,actuator.speed); end ActW;
  model Engine ActW actuator; SensorW sensor; EngineBus bus; equation connect(bus,actuator.bus);
    connect(bus,sensor.bus); end Engine;
end P;
// class P.Engine
// actuator.actuator.y(0.37) = 0.74
// actuator.actuator.y = 2.0
