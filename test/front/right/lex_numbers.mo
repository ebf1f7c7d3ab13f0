model M
  Real a = 1.; Real b = 1e3; Real c = 1.5E-2; Real d = 22.5e+1; Integer i = 007;
    Real f = 12345678901234567890.0;
  Real x(start=0,fixed=true);
equation der(x) = a + b + c + d + i;
end M;
// x(0.37) = 456.21554999999995
// x = 1233.0149999999999
// f = 1.2345678901234567e+19
