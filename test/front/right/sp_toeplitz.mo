model M
  parameter Integer n=3; Integer t1[:,:]={i-j for i in 1:n,j in 1:n};
    Integer t2[:,:]={{i-j for i in 1:n} for j in 1:n};
    Real p[5]={product(j for j in 1:i) for i in 0:4}; Real q[:]={r for r in 1.0:1.5:5.5};
    Real arr[3]=array(1,2,3.0); Integer ar2[:]=array(i for i in 1:4);
end M;
// t1[1,3] = 2.0
// t2[1,3] = 2.0
// p[5] = 24.0
// q[4] = 5.5
// arr[3] = 3.0
// ar2[4] = 4.0
