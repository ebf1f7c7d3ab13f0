model M
 Real x[5]={sin(i+time) for i in 1:5}; Real s=sum(if x[i]>0 then x[i] else 0 for i in 1:5);
   Real p=product(1+x[i]^2 for i in 1:5); Integer n=sum(if x[i]>0 then 1 else 0 for i in 1:5);
end M;
// s(0.37) = 1.677185799658552
// s = 1.0504174348855488
