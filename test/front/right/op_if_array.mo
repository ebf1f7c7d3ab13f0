model M
  parameter Boolean big = true; Real v[3] = if big then {1,2,3} else {4,5,6};
    Real w[2] = if time > 0.5 then {time, 1} else {0, 2};
    Real z[2](each start=0,each fixed=true);
equation der(z) = w;
end M;
// v[2] = 2.0
// z[1] = 0.375
// z[2] = 1.5
