model M
 Real T(start=20,fixed=true); Boolean heat(start=false,fixed=true); parameter Real tau=2;
   equation tau*der(T)=10-T+(if heat then 20 else 0); when T<18 then heat=true;
   elsewhen T>22 then heat=false; end when; end M;
// stop 6
// T(2.22) = 18.877385063712367
// T = 21.493412615584496
