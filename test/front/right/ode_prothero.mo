model M
 parameter Real L=1e5; Real y(start=1,fixed=true); equation der(y)=-L*(y-cos(time))-sin(time);
   end M;
// stop 10
// y(3.7) = -0.848100031710408
// y = -0.8390715290764524
