model M
 Real v[3](each start=0,each fixed=true); Integer k(start=0,fixed=true);
   equation when sample(0.1,0.1) then k=pre(k)+1; v=cat(1,{time},pre(v[1:2])); end when;
end M;
// stop 1.05
// v[1] = 1.0
// v[3] = 0.8
