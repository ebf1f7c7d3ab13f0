connector Pin
  Real v;
  flow Real i;
end Pin;
model M
  Pin p;
end M;
// error 2: 1 equation(s) for 2 unknown(s): nothing decides 'p.v'
// warning 6: the connector 'p' of the model is open: nothing flows through it
