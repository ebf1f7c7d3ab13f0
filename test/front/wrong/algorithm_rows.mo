record Part
  Real x[3];
end Part;

model M
  Part a, b[2];
algorithm
  b.x := [1, 2, 3];
end M;
// error 8: the value has other sizes than what is assigned
