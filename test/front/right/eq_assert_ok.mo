model M
  Real x(start=1,fixed=true); equation der(x) = -x; assert(x > 0, "x = " + String(x));
    assert(x > 0.2, "x is low", AssertionLevel.warning);
end M;
// x(0.37) = 0.6907343306373547
// x = 0.36787944117144233
