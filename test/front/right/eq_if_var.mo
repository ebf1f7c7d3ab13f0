model M
  Real x(start=0,fixed=true), y; equation if time < 0.5 then der(x) = 1; y = x; else y = 2*x;
    der(x) = -1; end if;
end M;
// x = 0.0
// y = 0.0
