model M
  Dialectic.Planar.Fixed fixed;
  annotation(__Lieder(
      solver = 3,
      step = "small",
      chatter = true));
end M;
// error 4: solver must be a name in quotes
// error 5: step must be a number
// error 6: chatter must be a name in quotes
// advice stop, hold
