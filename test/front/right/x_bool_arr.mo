model M
 Boolean b[3]={time>0.3*i for i in 1:3}; Integer n=sum(if b[i] then 1 else 0 for i in 1:3);
   Boolean nb[3]={not b[i] for i in 1:3}; Boolean an=b[1] and b[2]; Boolean o2[3]=b and nb;
end M;
// n = 3.0
// o2[1] = 0.0
