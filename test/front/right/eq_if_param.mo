model M
  parameter Boolean lin = false; parameter Integer k = 2; Real x(start=1,fixed=true), y;
    equation if lin then der(x) = -x; y = 1; else der(x) = -x^2; y = 2; end if; 
  if k == 1 then elseif k == 2 then else end if;
end M;
// x(0.37) = 0.7299270072992701
// x = 0.5
// y = 2.0
