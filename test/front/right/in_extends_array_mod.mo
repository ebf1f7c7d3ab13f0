model M
  model A parameter Real p[:] = {1,2,3}; parameter Integer n = size(p,1);
    Real x[n](each start=0, each fixed=true); equation der(x) = p; end A;
    model B extends A(p={4,5}); end B; B b; A a; A c(p=ones(4)); A d(p=zeros(0));
end M;
// b.x[2](0.37) = 1.85
// b.x[2] = 5.0
// a.x[3](0.37) = 1.1099999999999999
// a.x[3] = 3.0
// c.x[4](0.37) = 0.37
// c.x[4] = 1.0
