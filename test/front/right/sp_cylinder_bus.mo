package P
  connector RI=input Real; connector RO=output Real;
    expandable connector EngineBus end EngineBus;
    expandable connector CylinderBus Real spark_advance; end CylinderBus;
  model SparkPlug RI spark_advance; Real y=spark_advance; end SparkPlug;
    model Cylinder CylinderBus cylinder_bus; SparkPlug spark_plug;
    equation connect(spark_plug.spark_advance,cylinder_bus.spark_advance); end Cylinder;
    block Sensor parameter Real k=1; RO w=k*time; end Sensor; block Ctl EngineBus bus;
    RO a[4]={1,2,3,4};
    equation for i in 1:4 loop connect(a[i],bus.cylinder_bus[i].spark_advance); end for;
    end Ctl;
  model I4 EngineBus engine_bus; Sensor speed; parameter Integer nCylinder=4;
    Cylinder cylinder[nCylinder]; Ctl ctl; equation connect(speed.w,engine_bus.engine_speed);
    connect(ctl.bus,engine_bus);
    for i in 1:nCylinder loop connect(cylinder[i].cylinder_bus,engine_bus.cylinder_bus[i]);
    end for; end I4;
end P;
// class P.I4
// cylinder[3].spark_plug.y = 3.0
