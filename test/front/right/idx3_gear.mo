model M
 parameter Real J1=1,J2=2,r=3; Real p1,p2(start=1,fixed=true),w1,w2(start=0,fixed=true),t1,t2;
   equation p1=r*p2; w1=der(p1); w2=der(p2); J1*der(w1)=t1; J2*der(w2)=t2-5*p2; t2=-r*t1; end M;
// stop 5
// p2(1.85) = 0.31791215339830375
// p2 = -0.9738014920800959
