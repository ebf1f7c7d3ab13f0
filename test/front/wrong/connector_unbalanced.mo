connector C
  Real v;
  Real w;
  flow Real i;
end C;
model A
  C c;
equation
  c.v = 1;
  c.w = 2;
end A;
model M
  A a;
end M;
// warning 1: connector 'C' has 2 potentials and 1 flow
