package P
  block Source
    output Real y = time;
  end Source;
  block Sink
    input Real u;
    Real x = u;
  end Sink;
  model M
    Source a[2, 3];
    Sink b[3, 2];
    input Real free;
    Real x = free;
  equation
    connect(a.y, b.u);
  end M;
  model Top
    M m(free = 1);
    Real x = time;
  end Top;
end P;
// error 15: one side of the connection has the sizes [2, 3], the other [3, 2]
// class P.Top
