model M
 Real p(start=0,fixed=true); equation -der(p)=p^2-1; end M;
// stop 3
// p(1.11) = 0.8040623914048921
// p = 0.9950547536867305
