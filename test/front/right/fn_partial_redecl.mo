model M
  model A replaceable function f input Real x; output Real y=x; algorithm end f; Real v=f(2);
    end A; A a; A b(redeclare function f = g(k=5)); function g input Real x; input Real k=1;
    output Real y=k*x; algorithm end g; 
end M;
// a.v = 2.0
// b.v = 10.0
