model A extends B; type T = A.B; B b[2](c(start = 1)) "x";
equation
 connect(b[1].c, A.T.b.c); end A;
model B extends A(b(c = 2)); A c; end