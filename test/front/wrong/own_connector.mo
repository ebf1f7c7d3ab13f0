connector Pin
  Real v;
  flow Real i;
end Pin;
model M
  Pin p;
end M;
// error 6: 'Pin' is a connector of its own, which is not supported yet
