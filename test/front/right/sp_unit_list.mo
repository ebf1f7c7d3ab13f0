model M
  Real a(unit="kg.m/s2")=1; Real b(unit="N")=a; Real c(unit="1/s")=1; Real d(unit="m2.s-3")=1;
    Real f(unit="W/(m.K)")=1; Real g(unit="mm")=1; Real h(unit="kW.h")=1;
    Real i(unit="rad/s")=c; Real j(unit="")=2; Real k(unit="1")=3; Real l(unit="m+2")=1;
end M;
// b = 1.0
