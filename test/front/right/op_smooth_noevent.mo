model M
  Real x = sin(10*time); Real y = noEvent(if x > 0 then x else 0);
    Real z = smooth(0, if x > 0 then x^2 else 0); Real w = smooth(1, if x>0 then x^2 else -x^2);
    Real i(start=0,fixed=true);
equation der(i) = w;
end M;
// y(0.37) = 0.0
// y = 0.0
// z(0.37) = 0.0
// z = 0.0
