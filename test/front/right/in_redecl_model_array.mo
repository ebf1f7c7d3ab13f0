model M
  partial model C Real y; end C; model C1 extends C; parameter Real k=1; equation y = k; end C1;
    model C2 extends C; parameter Real k = 2; equation y = k*time; end C2;
  model Sys parameter Integer n=2; replaceable model Cell = C1 constrainedby C; Cell c[n];
    Real s = sum(c.y); end Sys; Sys a(n=3); Sys b(n=4, redeclare model Cell = C2(k=3));
    Sys d(redeclare model Cell = C2);
end M;
// a.s = 3.0
// b.s(0.37) = 4.4399999999999995
// b.s = 12.0
// d.s(0.37) = 1.48
// d.s = 4.0
