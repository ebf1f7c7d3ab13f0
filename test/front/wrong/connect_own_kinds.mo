connector Pin
  Real v;
  flow Real i;
end Pin;
connector Port
  Real p;
  flow Real q;
end Port;
model M "connectors of its own and nothing else"
  Pin a;
  Port b;
equation
  connect(a, b);
end M;
// error 13: the connectors do not fit: one has 'v', the other 'p' and no 'v'
