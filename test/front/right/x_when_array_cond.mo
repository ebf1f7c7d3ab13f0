model M
 Boolean b[3]={time>0.2,time>0.4,time>0.6}; Integer n(start=0,fixed=true);
   equation when b then n=pre(n)+1; end when;
end M;
// n = 3.0
