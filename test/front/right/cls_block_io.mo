model M
  block PT1 parameter Real k=1; parameter Real T=1; input Real u;
    output Real y(start=0,fixed=true); equation T*der(y) + y = k*u; end PT1;
  PT1 a(k=2,T=0.5,u=1); PT1 b(T=0.1); 
equation b.u = a.y;
end M;
// a.y(0.37) = 1.0457721689579311
// a.y = 1.7293294335267746
// b.y(0.37) = 0.8195769744325838
// b.y = 1.6616844918733495
