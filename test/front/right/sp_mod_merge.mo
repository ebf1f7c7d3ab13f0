model M
  record C1 parameter Real a; end C1; record C2 parameter Real b; parameter Real c; end C2;
    class C3 parameter Real x1=0; parameter Real x2=2; parameter C1 x3; parameter C2 x4(b=4);
    parameter C1 x5(a=5); extends C1; extends C2(b=6,c=77); end C3;
  class C4 extends C3(x2=22,x3(a=33),x4(c=44),a=55,b=66); Real s=x2+x3.a+x4.b+x4.c+x5.a+a+b+c;
    end C4; C4 d;
end M;
// d.s = 306.0
