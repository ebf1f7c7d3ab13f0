model M
  Real x,y,z; equation x=if time<1 then 2 else time-2; z=smooth(0,if time<0 then 0 else time);
    y=smooth(1,noEvent(if x<0 then 0 else sqrt(x)*x));
end M;
// stop 3
// y(1.11) = 0.0
// y = 1.0
// z(1.11) = 1.1099999999999999
// z = 3.0
