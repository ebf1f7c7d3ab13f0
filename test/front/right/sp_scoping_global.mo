package P
  model Y parameter Real k=1; Real y=k; end Y; package S model Q Real z=7; end Q; end S;
  model A S.Q Q; .P.Y c; Real Y=2; end A;
end P;
// class P.A
// Q.z = 7.0
// c.y = 1.0
// Y = 2.0
