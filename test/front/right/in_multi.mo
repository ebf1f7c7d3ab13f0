model M
  partial model A parameter Real a = 1; Real x(start=0,fixed=true); end A;
    partial model B parameter Real b = 2; Real y = b; end B;
  model C extends A(a=5); extends B; equation der(x) = a*y; end C; C c(b=3);
end M;
// c.x(0.37) = 5.55
// c.x = 15.0
