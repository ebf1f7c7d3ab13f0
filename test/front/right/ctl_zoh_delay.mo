model M
 Real x(start=1,fixed=true); equation der(x)=-delay(x,1); end M;
// stop 3
// x(1.11) = -0.10394999999999989
// x = -0.16666666666666666
