model M
  Real x(start=0,fixed=true); equation der(x) = 1; when x > 0.5 then terminate("done");
    end when;
end M;
// warns
// x = 0.5
