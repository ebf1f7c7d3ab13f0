model M
  record A Real x = 1; end A; record B extends A; Real y = 2; end B; B b; B c = B(x=3, y=4);
    B d = B(y=9); function f input B b; output Real r = b.x*b.y; algorithm end f;
    Real z = f(c) + f(d) + f(b);
end M;
// z = 23.0
