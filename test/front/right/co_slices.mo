model M
  connector O = output Real; connector I = input Real; block S O y[4] = {1,2,3,4}; end S;
    block G I u[2]; O y = sum(u); end G; S s; G a, b; equation connect(s.y[1:2], a.u);
    connect(s.y[{4,3}], b.u);
end M;
// a.y = 3.0
// b.y = 7.0
// b.u[1] = 4.0
