model M
  record RealR Real x,y; end RealR; record IntegerR Integer x,y; end IntegerR;
    parameter Integer a=1; Real y(start=a)=2; RealR r1=IntegerR(a,a); RealR r2=RealR(a,a);
end M;
// r1.y = 1.0
// r2.x = 1.0
