model M
  block ClockedPI parameter Real T; parameter Real k; input Real u; output Real y;
    Real x(start=0); protected Real Ts=interval(u);
    equation when Clock() then x=previous(x)+Ts/T*u; y=k*(x+u); end when; end ClockedPI;
    ClockedPI pi(T=1,k=2,u=sample(1.0,Clock(0.1))); Real y=hold(pi.y);
end M;
// stop 1.05
// y = 4.2
