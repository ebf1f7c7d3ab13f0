model M
  parameter Real x = 1 + "a";
  parameter Boolean y = not 3;
  parameter Real z[2] = {1, 2} + {1, 2, 3};
end M;
// error 2: '+' cannot be applied to Integer and String
// error 3: 'not' cannot be applied to Integer
// error 4: '+' cannot be applied to the sizes [2] and [3]
