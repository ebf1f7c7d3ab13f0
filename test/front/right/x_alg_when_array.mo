model M
 Real buf[5](each start=0,each fixed=true); Integer p(start=1,fixed=true);
   algorithm when sample(0.1,0.1) then buf[p] := time; p := if p==5 then 1 else p+1; end when;
end M;
// stop 1.05
// buf[1] = 0.6
// buf[5] = 1.0
