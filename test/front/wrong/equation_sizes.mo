model M
  Real x[3];
equation
  der(x) = {1, 2};
end M;
// error 4: the left side has the sizes [3], the right side [2]
