model M
  Real a = sum(i for i in 1:3.5) + time;
  Real b = sin(i for i in 1:3);
  Real c = product(time, 2);
end M;
// error 3: 'sin' cannot be used with an iterator
// error 4: 'product' has 1 argument(s), not 2
