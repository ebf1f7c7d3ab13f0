model M
  Real x=sin(10*time); Clock u=Clock(x>0); Clock y1=subSample(u,4); Clock y2=superSample(y1,2);
    Integer n(start=0),m(start=0); equation when y1 then n=previous(n)+1; end when;
    when y2 then m=previous(m)+1; end when;
end M;
// stop 2.4
// n = 1.0
// m = 2.0
