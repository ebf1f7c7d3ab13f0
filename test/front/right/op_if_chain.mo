model M
  Real x = time;
    Real y = if x < 0.25 then 1 elseif x < 0.5 then 2 elseif x < 0.75 then 3 else 4;
    Real z(start=0,fixed=true);
equation der(z) = y;
end M;
// z = 2.5
