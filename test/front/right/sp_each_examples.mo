model M
  model C parameter Real a[3]; parameter Real d; Real y=sum(a)+d; end C;
    model B C c[5](each a={1,2,3},d={1,2,3,4,5}); parameter Real b=0; end B;
    model D B b(each c.a={3,4,5},c.d={2,3,4,5,6}); B b2(c(each a={3,4,5},d={2,3,4,5,6})); end D;
    D d; B bb[2](each c(each a={1,2,3},d={1,2,3,4,5}),b={1,2}); Real r=bb[2].b;
end M;
// d.b.c[5].y = 18.0
// d.b2.c[1].y = 14.0
// bb[2].c[5].y = 11.0
// r = 2.0
