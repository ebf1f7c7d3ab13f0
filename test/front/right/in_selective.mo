model M connector RI = input Real; connector RO = output Real;
  model A Real x = 1; Real y = 2; Real z = x + y; end A;
  model G parameter Real k=2; RI u; RO y = k*u; end G;
  model Sys G a(k=3); G b(k=5); Real u = time; equation a.u = u; connect(a.y, b.u); end Sys;
  model Sys2 extends Sys(break connect(a.y, b.u)); equation b.u = 10; end Sys2; Sys s; Sys2 t;
end M;
// s.b.y(0.37) = 5.55
// s.b.y = 15.0
// t.b.y = 50.0
