model M
  model ABCD parameter Real A[n,n]; parameter Integer n=size(A,1); Real s=sum(A); end ABCD;
    ABCD c(n=2,A=[1,1;1,1]);
end M;
// c.s = 4.0
