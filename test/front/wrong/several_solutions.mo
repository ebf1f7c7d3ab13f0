model M
  Real u = 20*sin(time), e, y;
equation
  e = 0.5*y - u;
  y = noEvent(if 100*e > 15 then 15 elseif 100*e < -15 then -15 else 100*e);
end M;
// warning 4: may have several solutions
