model M
  Real initialValue=1; Real ends = 2; Real whenever = 3; Real e1 = 4; Real der_x=5;
    Real initial_ = 6;
  Real y = initialValue+ends+whenever+e1+der_x+initial_;
end M;
// y = 21.0
