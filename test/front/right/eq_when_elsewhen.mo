model M
  Real x(start=0,fixed=true); Integer s(start=0,fixed=true);
    equation der(x) = if s == 1 then -1 else 1; when x > 0.3 then s = 1;
    elsewhen x < 0.1 then s = 0; end when;
end M;
// x(0.37) = 0.22999999999999998
// x = 0.20000000000000007
