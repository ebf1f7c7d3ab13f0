record Part
  Real x[3];
end Part;

model M
  Part a, b[2];
algorithm
  b[3].x := {1, 2, 3};
end M;
// error 8: index 3 of 'b' is outside 1 ... 2
