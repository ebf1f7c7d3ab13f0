model Test
  Real x; Integer i2(start=0,fixed=true);
equation
  when sample(0,0.1) then i2=pre(i2)+1; end when; i2=x;
end Test;
// stop 1.05
// x = 11.0
