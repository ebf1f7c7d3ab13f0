model M
  model A Real y; Real z = 2*y; end A; A a(y = time); A b(y = sin(time), z=b.y);
end M;
// a.z(0.37) = 0.74
// a.z = 2.0
// b.z(0.37) = 0.361615431964962
// b.z = 0.8414709848078965
