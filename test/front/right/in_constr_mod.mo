model M
  partial model R parameter Real k=1; parameter Real m=1; Real y; end R; model R1 extends R;
    equation y = k*m; end R1; model R2 extends R(m=10); equation y = k+m; end R2;
  model S replaceable R1 r(k=2) constrainedby R(k=3); end S; S a; S b(redeclare R2 r);
    S c(redeclare R2 r(m=20)); S d(r(k=9));
end M;
// a.r.y = 2.0
// b.r.y = 13.0
// c.r.y = 23.0
// d.r.y = 9.0
