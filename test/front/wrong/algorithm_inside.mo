model Part
  parameter Real p = 1;
  Real x[3];
  model Empty
  end Empty;
  Empty empty;
end Part;

model M
  Part a, b[2];
algorithm
  a.p := 2;
  a.q := 3;
  a.empty := 4;
end M;
// error 12: 'p' cannot be assigned here
// error 13: 'Part' has no element 'q'
// error 14: 'empty' cannot be assigned here
