model M
  function f input Real time; output Real y = 2*time; algorithm end f; Real y = f(3);
end M;
// y = 6.0
