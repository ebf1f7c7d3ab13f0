model M
  type V3 = Real[3]; type M23 = Real[2,3](each start=1); V3 a = {1,2,3};
    V3 b[2] = {{1,2,3},{4,5,6}}; M23 x(each fixed=true);
    Real y[3,2](start={{1,2},{3,4},{5,6}}, each fixed=true);
equation der(x) = -x; for i in 1:3, j in 1:2 loop der(y[i,j]) = i*j; end for;
end M;
// b[2,3] = 6.0
// x[2,3](0.37) = 0.6907343306373547
// x[2,3] = 0.36787944117144233
// y[3,2](0.37) = 8.219999999999999
// y[3,2] = 12.0
