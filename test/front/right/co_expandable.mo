model M
  expandable connector Bus end Bus; connector O = output Real; connector I = input Real;
    block S O y = 3*time; end S; block G I u; O y = 2*u; end G; Bus bus; S s; G g;
    equation connect(s.y, bus.speed); connect(bus.speed, g.u); connect(g.y, bus.torque);
end M;
// g.y(0.37) = 2.2199999999999998
// g.y = 6.0
