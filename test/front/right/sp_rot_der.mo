model M
  Real x[2]={1,2}; Real w=time; Real y[2]=[cos(w),sin(w);-sin(w),cos(w)]*x; Real z[2]=der(y);
    Real a=0*asin(w);
end M;
// z[1](0.37) = 1.503039259247107
// z[1] = 0.23913362692838303
// z[2](0.37) = -1.6555582095359584
// z[2] = -2.2232442754839328
// a = 0.0
