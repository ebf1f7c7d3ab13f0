model M
 Real u=sin(time); Real q=0.25*floor(u/0.25+0.5); Real i(start=0,fixed=true); equation der(i)=q;
   end M;
// stop 5
// q(1.85) = 1.0
// q = -1.0
