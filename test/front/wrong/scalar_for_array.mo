model M
  Dialectic.Planar.FixedTranslation rod(r = 1);
end M;
// error 2: 'r' is an array of the sizes [2], but the value is a scalar
