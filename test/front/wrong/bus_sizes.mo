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
  block Sink
    In u;
  end Sink;
  model M
    Bus bus, row[2];
    Source a[2, 3], b[3, 2];
    Sink s[3, 2], t, u, v;
    Pin pin;
  equation
    connect(a.y, bus.x);
    connect(s.u, bus.x);
    connect(a.y, bus.y);
    connect(bus.y[2], t.u);
    connect(a.y, bus.z);
    connect(bus.z[2, 4], u.u);
    connect(a.y, bus.w);
    connect(bus.w[2, 3], pin);
    connect(b.y, row.x);
    connect(bus.w[0, 1], v.u);
  end M;
end P;
// error 22: one side of the connection has the sizes [2, 3], the other [3, 2]
// error 23: an array with the sizes [2, 3] is connected to an expandable connector, and elsewhere its element [2], which it has not
// error 25: an array with the sizes [2, 3] is connected to an expandable connector, and elsewhere its element [2,4], which it has not
// error 28: connectors of 1 and 2 variables are connected through an expandable connector
// error 29: arrays of 2 and 6 expandable connectors are connected
// error 30: an index of an element of an expandable connector must be one number, counted from 1
// class P.M
