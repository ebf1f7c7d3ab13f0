model M
  discrete Real k(start=0,fixed=true); Integer n(start=0,fixed=true);
    equation when sample(0, 0.1) then k = pre(k) + time; n = pre(n) + 1; end when;
end M;
// stop 1.05
// n = 11.0
// k = 5.5
