model M
  Real x(start=0,fixed=true); equation der(x) = 1; when x >= 0.4 then reinit(x, -pre(x));
    end when;
end M;
// x = 0.19999999999999996
