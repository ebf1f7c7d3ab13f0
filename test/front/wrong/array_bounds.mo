model M
  Real a[3] = {1, 2, 3}*time;
  Real b = a[4];
  Real c = a[0];
  Real d[2] = a[2:4];
  Real e = a[1, 1];
end M;
// error 3: index 4 of 'a' is outside 1 ... 3
// error 4: index 0 of 'a' is outside 1 ... 3
// error 5: index 4 of 'a' is outside 1 ... 3
// error 6: 'a' has 1 dimension(s), but 2 indices
