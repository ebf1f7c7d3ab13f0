model M
  Integer n = 2.5;
  Integer m = time;
  Boolean b = 1;
end M;
// error 2: 'n' is of type Integer, but its value is of type Real
// error 3: 'm' is of type Integer, but its value is of type Real
// error 4: the sides of the equation are of type Boolean and Integer
