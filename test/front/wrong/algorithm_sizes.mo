record Part
  Real x[3];
end Part;

model M
  Part a, b[2];
algorithm
  a.x := {1, 2};
end M;
// error 8: 'x' has the sizes [3], the value has [2]
