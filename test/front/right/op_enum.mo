model M
  type Gear = enumeration(R, N, D); parameter Gear g = Gear.N;
    Gear h = if time > 0.5 then Gear.D else Gear.R; Integer i = Integer(h);
    Boolean lt = Gear.R < g; Boolean q = h > g; Gear m = max({Gear.R, g});
    Real z(start=0,fixed=true); Real a[Gear] = {10,20,30};
equation der(z) = a[h];
end M;
// z = 20.0
// i = 3.0
// lt = 1.0
// q = 1.0
// m = 2.0
