model M
  package P constant Integer n = 2; replaceable constant Real a[n] = {1,2}; end P;
    package Q = P(n=3, a={1,2,3}); package Z extends P(n=4, a=fill(2,4)); end Z;
    Real s = sum(Q.a) + sum(Z.a) + sum(P.a);
end M;
// s = 17.0
