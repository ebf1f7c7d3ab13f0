model M
  parameter Real a = 1e309;
  parameter Real b = 1e-400;
  parameter Real c = 0e-400 + 1.7e308 + 1e-320;
end M;
// error 2: this number is larger than a number of 64 bits can be
// error 3: this number is smaller than a number of 64 bits can be
