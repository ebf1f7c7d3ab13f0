package P
  connector In = input Real;
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  expandable connector Bus
  end Bus;
  block Source
    output Real y = time;
  end Source;
  model M
    Bus bus;
    Pin pin;
    Source s, t[2];
  equation
    connect(s.y, bus.x);
    connect(bus.x, pin);
    connect(bus.x[1:2], t.y);
  end M;
end P;
// error 18: connectors of 1 and 2 variables are connected through an expandable connector
// error 19: an index of an element of an expandable connector must be one number
// class P.M
