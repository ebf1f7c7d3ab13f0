model D
  model B parameter Real x; Real y=x; end B; model C parameter Real x=2; B b(x=x); end C;
    parameter Real x=3; C c(b(x=x)); C d;
end D;
// c.b.y = 3.0
// d.b.y = 2.0
