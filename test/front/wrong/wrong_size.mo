model M
  parameter Real r[3] = {1, 2};
  Dialectic.Planar.FixedTranslation rod(r = {1, 2, 3});
end M;
// error 2: 'r' has the sizes [3], but the value has [2]
// error 3: 'r' has the sizes [2], but the value has [3]
