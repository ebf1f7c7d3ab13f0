model M
  Boolean a = time > 0.3; Boolean b = time > 0.6; Boolean c = a and not b; Boolean d = a <> b;
    Boolean f = a == b; Boolean g = a or b; Real z(start=0,fixed=true);
equation der(z) = (if c then 1 else 0) + (if d then 10 else 0) + (if f then 100 else 0) + (if g
  then 1000 else 0);
end M;
// z = 773.3
