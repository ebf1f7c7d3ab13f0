model M
  record Pm Real r = 1; Real c = 1; end Pm; model A parameter Pm p; Real y(start=1,fixed=true);
    equation p.r*p.c*der(y) = -y; end A; model B A a[2](p(r={1,2})); end B;
    B b(a(each p(c=0.5))); B d(a(p(each c=0.25)));
end M;
// b.a[1].y(0.37) = 0.4771139155210344
// b.a[1].y = 0.1353352832366127
// b.a[2].y(0.37) = 0.6907343306373547
// b.a[2].y = 0.36787944117144233
// d.a[2].y(0.37) = 0.4771139155210344
// d.a[2].y = 0.1353352832366127
