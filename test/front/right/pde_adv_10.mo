model Adv
 parameter Integer n=10; Real u[n](each start=0,each fixed=true); Real left=1;
   equation der(u[1])=n*(left-u[1]); for i in 2:n loop der(u[i])=n*(u[i-1]-u[i]); end for;
   end Adv;
// stop 0.5
// u[10] = 0.0318280573062044
// u[5] = 0.5595067149347874
