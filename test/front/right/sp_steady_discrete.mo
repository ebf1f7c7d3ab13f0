model M
  parameter Real a=0.5,b=1,u=2; discrete Real y;
    equation when {initial(),sample(1,1)} then y=a*pre(y)+b*u; end when;
    initial equation y=pre(y);
end M;
// stop 3.5
// y = 4.0
