model M
  Real x[2] = {1, 2};
  Real s = sum(time for i);
equation
  for k loop
    assert(x[1] > k, "k");
  end for;
end M;
// error 3: the index 'i' has no range
// error 5: the index 'k' has no range
