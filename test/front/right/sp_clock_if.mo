model M
  parameter Integer f=3; Clock c1=Clock(1,10);
    Clock c2=if f>0 then subSample(c1,f) elseif f<0 then superSample(c1,f) else c1;
    Integer n(start=0); equation when c2 then n=previous(n)+1; end when;
end M;
// stop 1.05
// n = 4.0
