model M
  function sq input Real a; output Real x; protected Real e; algorithm x := a; e := 1;
    while e > 1e-12 loop e := abs(x*x-a); x := 0.5*(x + a/x); end while; end sq;
    Real y = sq(2+time); Real d = der(y);
end M;
// y(0.37) = 1.5394804318340654
// y = 1.7320508075688772
// d(0.37) = 0.32478490123081544
// d = 0.2886751345948129
