package P
  model A parameter Real k = 1; Real x = k*time; end A;
  model M A a[2](k = 3); A b[3](each k = {1, 2, 3}); end M;
end P;
// error 3: one value for 'k' where 'a' is an array of 2
// error 3: 'k' is a scalar, but the value has the sizes [3]
// class P.M
