model M
 parameter Real m=1,mu=0.5,g=10; Real x(start=0,fixed=true), v(start=2,fixed=true);
   Boolean moving(start=true,fixed=true); equation der(x)=v;
   m*der(v)=if moving then -mu*m*g*sign(v) else 0; moving=pre(moving) and v>0;
   when not moving then reinit(v,0); end when; end M;
// x(0.37) = 0.39775
// x = 0.4
