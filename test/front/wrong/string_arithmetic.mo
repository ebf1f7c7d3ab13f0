model M
  parameter String s = "a";
  Real x = s*2;
  parameter String t = s + 1;
  parameter Boolean b = s > 1;
end M;
// error 3: '*' cannot be applied to String and Integer
// error 4: '+' cannot be applied to String and Integer
// error 5: '>' cannot be applied to String and Integer
