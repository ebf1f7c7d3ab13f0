package Arm "A two-link arm in the vertical plane that follows a path, with two controllers"

  partial model Mechanics "two links of 1 m and 0.8 m with point masses at their ends, driven at the joints"
    inner Dialectic.World world(TD = 0);
    parameter Real l1(unit = "m") = 1, l2(unit = "m") = 0.8;
    parameter Real m1(unit = "kg") = 4, m2(unit = "kg") = 2 "payload included";
    Dialectic.Planar.Fixed base;
    Dialectic.Planar.Revolute shoulder(phi(start = -1)), elbow(phi(start = 1.5));
    Dialectic.Planar.FixedTranslation upper(r = {l1, 0}), lower(r = {l2, 0});
    Dialectic.Planar.Body elbowBody(m = m1), hand(m = m2);
    Dialectic.Rotational.AngleSensor q1, q2;
    Dialectic.Rotational.SpeedSensor w1, w2;
    Dialectic.Rotational.Torque motor1, motor2;
    Real phi_ref[2](each unit = "rad") "where the joints shall be";
    Real w_ref[2](each unit = "rad/s"), a_ref[2](each unit = "rad/s2");
    Real tau[2](each unit = "N.m") "torques of the motors";
    Real e[2](each unit = "rad"), ew[2](each unit = "rad/s") "errors";
  equation
    connect(base.frame, shoulder.frame_a);
    connect(shoulder.frame_b, upper.frame_a);
    connect(upper.frame_b, elbowBody.frame_a);
    connect(upper.frame_b, elbow.frame_a);
    connect(elbow.frame_b, lower.frame_a);
    connect(lower.frame_b, hand.frame_a);
    connect(shoulder.flange_a, q1.flange);
    connect(elbow.flange_a, q2.flange);
    connect(shoulder.flange_a, w1.flange);
    connect(elbow.flange_a, w2.flange);
    connect(shoulder.flange_a, motor1.flange);
    connect(elbow.flange_a, motor2.flange);
    phi_ref = {-1 + 0.8*sin(1.5*time), 1.5 + 0.5*(cos(2*time) - 1)};
    w_ref = {1.2*cos(1.5*time), -sin(2*time)};
    a_ref = {-1.8*sin(1.5*time), -2*cos(2*time)};
    e = phi_ref - {q1.y, q2.y};
    ew = w_ref - {w1.y, w2.y};
    motor1.tau = tau[1];
    motor2.tau = tau[2];
  end Mechanics;

  model Fleet "robots with different payloads"
    parameter Integer n = 10000;
    PD arm[n](m2 = {1 + 3*i/n for i in 1:n});
    annotation(experiment(StopTime = 1, Interval = 0.1), __Lieder(solver = "rk4", step = 1e-3));
  end Fleet;

  model PD "each joint for itself: tau = k e + d de/dt"
    extends Mechanics;
    parameter Real k[2] = {800, 300}, d[2] = {80, 30};
  equation
    tau = {k[i]*e[i] + d[i]*ew[i] for i in 1:2};
    annotation(experiment(StopTime = 5, Interval = 0.01));
  end PD;

  model ComputedTorque "the equations of motion with the wanted accelerations: the errors decay as those of two single masses"
    extends Mechanics;
    parameter Real k = 100, d = 20;
    parameter Real g = 9.81;
    Real a[2](each unit = "rad/s2") "wanted accelerations";
    Real M[2, 2], h[2] "mass matrix, and what gravity and velocities take";
    Real c2, s2, u1, u12;
  equation
    a = a_ref + d*ew + k*e;
    c2 = cos(q2.y);
    s2 = sin(q2.y);
    u1 = cos(q1.y);
    u12 = cos(q1.y + q2.y);
    M = [(m1 + m2)*l1^2 + m2*l2^2 + 2*m2*l1*l2*c2, m2*l2^2 + m2*l1*l2*c2; m2*l2^2 + m2*l1*l2*c2, m2*l2^2];
    h = {-m2*l1*l2*s2*(2*w1.y*w2.y + w2.y^2) + (m1 + m2)*g*l1*u1 + m2*g*l2*u12, m2*l1*l2*s2*w1.y^2 + m2*g*l2*u12};
    tau = M*a + h;
    annotation(experiment(StopTime = 5, Interval = 0.01));
  end ComputedTorque;
end Arm;
