function f
  input Real x;
  input Real k = 2;
  output Real y;
algorithm
  y := k*x;
end f;
model M
  Real a = f(x = 1, x = time);
  Real b = f(time, x = 3);
  Real c = f(time, k = 3);
end M;
// error 9: the input 'x' of 'f' is given twice
// error 10: the input 'x' of 'f' is given twice
