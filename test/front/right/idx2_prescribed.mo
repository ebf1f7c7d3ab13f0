model M
 Real s, v, F; parameter Real m=2; equation s=sin(3*time); v=der(s); m*der(v)=F; end M;
// F(0.37) = -16.12257634224086
// F = -2.5401601450776097
