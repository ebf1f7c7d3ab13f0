model M
 parameter Real J1=1,J2=2,Tc=3; Real w1(start=10,fixed=true), w2(start=0,fixed=true), T;
   Boolean locked(start=false,fixed=true); equation J1*der(w1)=-T; J2*der(w2)=T;
   locked = pre(locked) or w1<=w2; if locked then der(w1)=der(w2); else T=Tc*sign(w1-w2);
   end if; end M;
// stop 4
// w1(1.48) = 5.5600000000000005
// w1 = 3.3333333333333335
