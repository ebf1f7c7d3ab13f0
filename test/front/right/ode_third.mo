model M
 Real y(start=1,fixed=true); Real dy=der(y); Real ddy=der(dy); initial equation dy=-1; ddy=1;
   equation der(ddy)+6*ddy+11*dy+6*y=0; end M;
// y(0.37) = 0.6907343306373547
// y = 0.36787944117144233
