model M
  model A Real x=1; end A; model B extends A(final x=break); algorithm x:=0;
    while x<5 loop x:=x+2; end while; end B; B b;
end M;
// b.x = 6.0
