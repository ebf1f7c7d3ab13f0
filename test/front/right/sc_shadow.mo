model M
  constant Real c = 1; 
  model A constant Real c = 2; model B Real y = c; end B; B b; end A; model C Real y = c; end C;
    A a; C d; Real k = sum(c for c in 1:3); Real j = c;
end M;
// a.b.y = 2.0
// d.y = 1.0
// k = 6.0
// j = 1.0
