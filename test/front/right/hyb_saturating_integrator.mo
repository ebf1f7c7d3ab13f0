model M
 Real x(start=0,fixed=true); Real u=2*cos(time);
   equation der(x)=if x>=1 and u>0 or x<=-1 and u<0 then 0 else u; end M;
// stop 4.5
// x(1.665) = 0.9911322288277249
// x = -1.0
