model M
  Boolean b = time > 1;
  Real x = b + 1;
  Real y = if time then 1 else 2;
  Boolean c = not 1;
  Boolean d = time and b;
end M;
// error 3: '+' cannot be applied to Boolean and Integer
// error 4: a condition must be Boolean, this is of type Real
// error 5: 'not' cannot be applied to Integer
// error 6: 'and' cannot be applied to Real and Boolean
