model M
  Real x, q, p;
equation
  der(x) = -x;
  q = 2*x;
end M;
// error 2: nothing decides 'p'
// advice add an equation
