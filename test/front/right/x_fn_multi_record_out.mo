model M
 record S Real a; Real b[2]; end S; function f input S s; input Real k=2; output S r;
   output Real n; algorithm r := s; r.a := k*s.a; r.b[2] := -s.b[2]; n := r.a + sum(r.b); end f;
   S s=S(1,{time,3}); S r; Real n; equation (r,n)=f(s);
end M;
// r.a = 2.0
// n(0.37) = -0.6299999999999999
// n = 0.0
