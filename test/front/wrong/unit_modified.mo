model M
  Dialectic.Translational.Body a(m(unit = "g") = 5);
  Dialectic.Translational.Body b(m(unit = "kg", displayUnit = "g") = 5);
  Dialectic.Translational.Body c(m(displayUnit = "s") = 5);
  Dialectic.Translational.Body d(m.unit = "lbs");
end M;
// error 2: 'm' is declared in "kg", and a modifier cannot make it "g"
// error 4: the displayUnit "s" of 'm' is no unit of what is measured in "kg"
// error 5: 'm' is declared in "kg", and a modifier cannot make it "lbs"
