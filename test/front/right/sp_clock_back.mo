model M
  Clock u=Clock(3,10); Clock y1=shiftSample(u,3); Clock y2=backSample(y1,2);
    Clock y4=shiftSample(u,2,3); Clock y5=backSample(y4,1,3);
    Real a(start=0),b(start=0),c(start=0); equation when y2 then a=sample(time); end when;
    when y5 then b=sample(time); end when; when y1 then c=sample(time); end when;
end M;
// stop 1.45
// a = 1.2
// b = 1.3
// c = 1.2
