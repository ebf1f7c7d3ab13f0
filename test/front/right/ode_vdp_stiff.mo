model M
 parameter Real mu=1000; Real x(start=2,fixed=true), y(start=0,fixed=true); equation der(x)=y;
   der(y)=mu*(1-x^2)*y-x; end M;
// stop 100
// x(37.0) = 1.975074254074974
// x = 1.9313613205272797
