model M
 Real x(start=0,fixed=true); discrete Real u(start=0,fixed=true), I(start=0,fixed=true);
   parameter Real Ts=0.1; equation der(x)=-x+u; when sample(0,Ts) then I=pre(I)+(1-x)*Ts;
   u=2*(1-x)+3*I; end when; end M;
// stop 5
// x(1.85) = 1.0341977684864148
// x = 1.0000740039481453
