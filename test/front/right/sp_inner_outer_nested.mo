model I
  class A outer Real TI; class B Real TI=2; class C Real TI=3; class D outer Real TI; Real y=TI;
    end D; D d; end C; C c; end B; B b; Real z=TI; end A;
  class E inner Real TI=10; class F inner Real TI=20; class G Real TI=30; class H A a; end H;
    H h; end G; G g; end F; F f; end E;
  inner Real TI=100; E e; A a;
end I;
// e.f.g.h.a.b.c.d.y = 20.0
// e.f.g.h.a.z = 20.0
// a.b.c.d.y = 100.0
// a.z = 100.0
