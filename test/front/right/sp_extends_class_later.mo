model M
  class C1 class C11 parameter Real x; Real y=x; end C11; end C1; class C2 class C21 Real z=4;
    end C21; end C2; class C3 extends C1; C11 t(x=3); C21 u; extends C2; end C3; C3 c;
end M;
// c.t.y = 3.0
// c.u.z = 4.0
