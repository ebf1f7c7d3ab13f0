model M
  Real x;
initial
  x = 1;
equation
  der(x) = 1;
end M;
// error 3: expected a declaration, found 'initial'
// advice write 'initial equation' or 'initial algorithm'
