model Brittle
  Dialectic.Translational.Flange flange;
  Boolean far;
equation
  flange.f_el = 0;
  flange.f_ki = 0;
  far = der(flange.v)^2 > 9;
end Brittle;

model M
  Brittle brittle;
end M;
// error 7: is not linear in these
