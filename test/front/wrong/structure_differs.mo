connector Pin
  Real v;
  flow Real i;
end Pin;
model Port
  parameter Boolean there = true;
  Pin p if there;
  Pin q;
equation
  connect(p, q);
end Port;
model M
  Port a[2](there = {true, false});
  Port b[2];
equation
  connect(a.p, b.p);
end M;
// error 16: some elements of 'a' have this connector and others have not
