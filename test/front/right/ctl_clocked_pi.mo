model M
 Real x(start=0,fixed=true); Real u, I(start=0), er; parameter Real Ts=0.1;
   equation der(x)=-x+hold(u); er=1-sample(x,Clock(0.1)); I=previous(I)+er*0.1; u=2*er+3*I;
   end M;
// stop 5
// x(1.85) = 1.0341977684864148
// x = 1.0000740039481453
