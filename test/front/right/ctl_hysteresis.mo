model M
 Real T(start=15,fixed=true); Boolean on(start=true,fixed=true);
   equation der(T)=if on then 2 else -1; on = if pre(on) then not T>20 else T<18 ; end M;
// stop 9.7
// T(3.589) = 18.911
// T = 18.8
