model M
 Integer i=1+integer(3.5*time); Real y[4]; algorithm y := zeros(4); y[i] := time;
end M;
// y[4] = 1.0
// y[1] = 0.0
