model M
  Dialectic.Planar.Fixed fixed;
  annotation(experiment(StopTime = "long"),
    __Lieder(
      solver = "rk5",
      step = -1,
      chatter = "ring",
      native = "Planar.Body"));
end M;
// error 3: StopTime must be a number
// error 5: there is no solver "rk5"
// error 6: the step must be positive, not -1
// error 7: there is no way "ring" to answer chatter
// error 8: __Lieder knows no "native"
// advice rk1, rk2, rk3, rk4, euler-backward, esdirk23, bdf
// advice solver, step and chatter
