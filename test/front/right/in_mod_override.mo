model M
  model A parameter Real k=1; parameter Real m=k+1; Real y=m; end A; model B extends A(k=10);
    end B; B b; B c(k=20); B d(m=5); model C B b(k=7, m=k*2); parameter Real k = 100; end C;
    C q;
end M;
// b.y = 11.0
// c.y = 21.0
// d.y = 5.0
// q.b.y = 200.0
