model M
  parameter Real a = sqrt(-1);
  parameter Real b = log(0);
end M;
// error 2: sqrt(-1) is not a finite number
// error 3: log(0) is not a finite number
