model M
  type R = Real; type T = R(start=4); T x(fixed=true); model A parameter Real k=1; Real y = k;
    end A; model B = A(k=2); model C = B(k=3) "text"; C c; B b[2](k={5,6}); 
equation der(x) = -x;
end M;
// x(0.37) = 2.7629373225494187
// x = 1.4715177646857693
// c.y = 3.0
// b[2].y = 6.0
