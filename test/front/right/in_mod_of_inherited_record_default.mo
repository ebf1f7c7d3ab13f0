model M
  record Data parameter Real R=1; parameter Real L=2; end Data; record Big = Data(R=10, L=20);
    model A parameter Data d; Real y = d.R/d.L; end A; A a(d=Big()); A b(d=Data(R=3));
    A c(d=Big(L=5)); parameter Big q; A f(d=q); A g(d(R=8));
end M;
// a.y = 0.5
// b.y = 1.5
// c.y = 2.0
// f.y = 0.5
// g.y = 4.0
