model M
  partial function F input Real x; output Real y; end F; function integ input F f; input Real a;
    input Real b; input Integer n=1000; output Real s; protected Real h=(b-a)/n;
    algorithm s := 0; for i in 1:n loop s := s + h*f(a+(i-0.5)*h); end for; end integ;
    function sq extends F; algorithm y := x*x; end sq; function pw input Real x; input Real p;
    output Real y=x^p; algorithm end pw; Real a=integ(function pw(p=3),0,1);
    Real b=integ(sq,0,1,n=10);
end M;
// a = 0.25
// b = 0.33249999999999996
