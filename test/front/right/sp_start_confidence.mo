model M
  model M1 Real x(start=4.0); Real y(start=5.0); equation x=y; der(x)=0; end M1;
    M1 m1(x(start=3.0));
end M;
// m1.x = 3.0
