function f
  input Real x;
  output Real y;
  Real z;
protected
  Real hidden;
algorithm
  hidden := 2*x;
  z := hidden;
  y := z;
end f;
model M
  Real y = f(time);
end M;
// warning 4: 'z' is a public variable of function 'f', but neither an input nor an output
