model Ball
 Real h(start=1,fixed=true), v(start=0,fixed=true); parameter Real e=0.8,g=9.81;
   equation der(h)=v; der(v)=-g; when h<=0 then reinit(v,-e*pre(v)); end when; end Ball;
// h(0.37) = 0.3285055
// h = 0.46800445252603606
