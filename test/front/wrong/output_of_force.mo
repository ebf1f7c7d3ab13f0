package P
  model Sensor Dialectic.Translational.Flange flange; output Real y;
  equation flange.f_ki = -2*der(flange.v); flange.f_el = 0; y = flange.f_ki; end Sensor;
  model M Dialectic.World world; Sensor s; Dialectic.Translational.Fixed f; equation connect(f.flange_b, s.flange); end M;
end P;
// error 2: 'y' is an output that depends on forces or accelerations
// class P.M
