model Rod
 parameter Integer n=20; parameter Real dx=1/n; Real T[n](each start=0,each fixed=true);
   Real q[n+1]; equation q[1]=1; for i in 2:n loop q[i]=(T[i-1]-T[i])/dx; end for; q[n+1]=0;
   der(T)=(q[1:n]-q[2:n+1])/dx; end Rod;
// stop 0.3
// T[1](0.111) = 0.3514732194250394
// T[1] = 0.5982375139744973
// T[20](0.111) = 0.0117355828726453
// T[20] = 0.14426169697924768
