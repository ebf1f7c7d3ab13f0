model M
  parameter Integer n = 2.5;
  parameter Boolean b = 1;
  parameter Real x = "text";
end M;
// error 2: n is of type Integer, but the value is of type Real
// error 3: b is of type Boolean, but the value is of type Integer
// error 4: x is of type Real, but the value is of type String
