model M
 parameter Real T=0.1,d=0.3; Real i(start=0,fixed=true); Boolean on=mod(time,T)<d*T;
   equation der(i)=(if on then 10 else 0)-i; end M;
// i = 1.8304429944895517
