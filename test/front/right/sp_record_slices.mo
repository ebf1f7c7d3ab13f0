model M
  record R Real[2] x; end R; R[3] a = {R({1,2}),R({3,4}),R({5,6})}; Real p=a[3].x[2];
    Real q[2]=a[3].x; Real r[3]=a.x[2]; Real s[3,2]=a.x; R t=a[3];
end M;
// p = 6.0
// q[1] = 5.0
// r[2] = 4.0
// s[3,1] = 5.0
// t.x[2] = 6.0
