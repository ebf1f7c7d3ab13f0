model M
  model A parameter Real k=1; final parameter Real l=2*k; Real y = l; end A;
    model B A a[3](each final k=4); end B; B b; A c[2,2](k={{1,2},{3,4}}); A d[2](each k = 3);
    Real s = sum(c.y);
end M;
// b.a[2].y = 8.0
// s = 20.0
// d[1].y = 6.0
