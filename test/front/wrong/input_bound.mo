block B
  input Real u = 3;
  output Real y = 2*u;
end B;
block S
  output Real y = time;
end S;
model M
  B b;
  S s;
equation
  connect(s.y, b.u);
end M;
// error 12: the input 'u' of 'B' has a value of its own
// advice leave one of the two out
