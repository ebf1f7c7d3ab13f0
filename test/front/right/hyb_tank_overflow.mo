model M
 parameter Real A=2,hmax=1; Real h(start=0.5,fixed=true), q=1, ov;
   Boolean full(start=false,fixed=true); equation full=h>=hmax; A*der(h)=q-ov;
   ov=if full then q else 0; end M;
// stop 3
// h(1.11) = 1.0
// h = 1.0
