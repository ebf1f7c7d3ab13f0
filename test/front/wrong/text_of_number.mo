model M
  String s = 3;
  constant Real c;
  Real x = c;
  Boolean b = 1 and time > 0;
  Real y = 1 + true;
end M;
// error 2: 's' is of type String, but its value is of type Integer
// error 3: constant 'c' has no value
// error 5: 'and' cannot be applied to Integer and Boolean
// advice Booleans are needed
// error 6: '+' cannot be applied to Integer and Boolean
// advice if b then 1 else 0 makes a number of a Boolean
