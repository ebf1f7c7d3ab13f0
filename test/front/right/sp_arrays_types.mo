model M
  Real[3,2] x[4,5]=fill(1.5,4,5,3,2); type R3=Real[3]; R3 a={1,2,3}; R3 b[1]={a};
    Real[3] c[1]=b; type E=enumeration(one,two); Real[E] y={1,2}; type Point=Real[3];
    Point p1[10]=fill(2.0,10,3); Real p2[10,3]; Real r[3]=p1[2]; equation p2[5]=p1[2]+p2[4];
    for i in 1:4 loop p2[i]={i,0,0}; end for; for i in 6:10 loop p2[i,:]={0,i,0}; end for;
end M;
// p2[5,1] = 6.0
// c[1,2] = 2.0
// r[3] = 2.0
// x[4,5,3,2] = 1.5
