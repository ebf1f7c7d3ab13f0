package Motors
  record MotorData parameter Real inertia; parameter Real nominalTorque; end MotorData;
    model Motor MotorData data; Real y=data.inertia*data.nominalTorque; end Motor;
    record MotorI123=MotorData(inertia=0.001,nominalTorque=10);
    record MotorI145=MotorData(inertia=0.0015,nominalTorque=15);
    model Robot Motor motor1(data=MotorI123()); Motor motor2(data=MotorI123(inertia=0.0012));
    Motor motor3(data=MotorI145()); end Robot;
end Motors;
// class Motors.Robot
// motor1.y = 0.01
// motor2.y = 0.012
// motor3.y = 0.0225
