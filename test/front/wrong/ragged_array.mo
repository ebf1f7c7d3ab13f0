model M
  parameter Real x[:, :] = {{1, 2}, {3}};
end M;
// error 2: element 2 has the sizes [1], the first one [2]
