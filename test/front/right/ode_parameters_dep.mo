model M
 parameter Real m=2, k=8, zeta=0.1; final parameter Real w0=sqrt(k/m), d=2*zeta*sqrt(k*m);
   Real x(start=1,fixed=true), v(start=0,fixed=true); equation der(x)=v; m*der(v)=-k*x-d*v;
   end M;
// stop 5
// x(1.85) = -0.6281819994808677
// x = -0.33685168059041337
