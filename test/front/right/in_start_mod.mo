model M
  model A Real x(start=1, fixed=true, nominal=2); equation der(x) = -x; end A; A a(x(start=3));
    A b[2](x(start={4,5})); model B = A(x(start=6)); B c; B d(x(min=-1));
end M;
// a.x(0.37) = 2.072202991912064
// a.x = 1.103638323514327
// b[2].x(0.37) = 3.4536716531867735
// b[2].x = 1.8393972058572117
// c.x(0.37) = 4.144405983824128
// c.x = 2.207276647028654
// d.x(0.37) = 4.144405983824128
// d.x = 2.207276647028654
