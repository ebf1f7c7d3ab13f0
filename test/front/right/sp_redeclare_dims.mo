model M
  model A replaceable Real[4] x[2]; end A; type L=Real(unit="m");
    A m(redeclare L x[2,4]=fill(2.0,2,4)); Real s=m.x[2,4];
end M;
// s = 2.0
