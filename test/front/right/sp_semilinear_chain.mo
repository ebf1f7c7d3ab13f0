model M
  Real x=time-0.5; Real s1; Real y; parameter Real sa=2, sb=3; equation y=semiLinear(x,sa,s1);
    y=semiLinear(x,s1,sb);
end M;
// warns
// y(0.37) = -0.39
// y = 1.0
