model Adv
 parameter Integer n=60; Real u[n](each start=0,each fixed=true); Real left=1;
   equation der(u[1])=n*(left-u[1]); for i in 2:n loop der(u[i])=n*(u[i-1]-u[i]); end for;
   end Adv;
// stop 0.5
// u[60] = 9.251868791336149e-07
// u[30] = 0.5242830138936797
