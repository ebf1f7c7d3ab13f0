model M
  Clock u=Clock(3,10); Clock y1=shiftSample(u,1,3); Integer n(start=0); Real t(start=0);
    equation when y1 then n=previous(n)+1; t=sample(time); end when;
end M;
// stop 1.05
// n = 4.0
// t = 1.0
