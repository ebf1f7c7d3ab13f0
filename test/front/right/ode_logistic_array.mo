model M
 parameter Integer n=200; parameter Real r[n]=linspace(0.5,2,n);
   Real x[n](each start=0.1,each fixed=true);
   equation for i in 1:n loop der(x[i])=r[i]*x[i]*(1-x[i]); end for; end M;
// stop 3
// x[200](1.11) = 0.5056936095523688
// x[200] = 0.9781780512369621
// x[1](1.11) = 0.16216259121541915
// x[1] = 0.3324278617431193
