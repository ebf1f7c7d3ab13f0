model M
  Real x = time;
  parameter Real x = 2;
  function M2 end M2;
  model M2 end M2;
end M;
// error 5: 'M2' is declared twice
// error 3: 'x' is declared twice
