model M
  model A Real y = 1; end A; parameter Boolean on = true; A a if on; A b[3] if not on;
    parameter Integer n = 0; Real e[n]; Real s = sum(e) + 5;
equation e = fill(1.0, n);
end M;
// s = 5.0
// a.y = 1.0
