model M
  model A parameter Real k=1; output Real y; protected Real x(start=1,fixed=true);
    parameter Real T=2*k; equation T*der(x) = -x; y = x; end A; A a(k=0.5); model B extends A;
    Real z = x + T; end B; B b;
end M;
// a.y(0.37) = 0.6907343306373547
// a.y = 0.36787944117144233
// b.z(0.37) = 2.8311042838521256
// b.z = 2.606530659712633
