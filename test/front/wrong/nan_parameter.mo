model M
  parameter Real a = -1;
  parameter Real b = sqrt(a), c = log(0), d = asin(2), e = (-8)^(1/3);
  Real x = b*time;
end M;
// error 3: sqrt(-1) is not a finite number
// error 3: log(0) is not a finite number
// error 3: asin(2) is not a finite number
// error 3: -8 ^ 0.333333 is not a finite number
