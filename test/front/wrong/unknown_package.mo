model M
  Dialektic.Planar.Body body;
end M;
// error 2: there is no class 'Dialektic.Planar.Body'
