model M
  Real x(start=0,fixed=true); Boolean i = initial(); Boolean t = terminal();
  discrete Real r(start=0,fixed=true);
equation der(x) = 1; when terminal() then r = x; end when;
end M;
// x = 1.0
