package P
  function f input Real x; output Real y; algorithm y := if String(x) == "1" then 1 else 2; end f;
  model M Real y = f(time); end M;
end P;
// error 2: a text that variables decide is compared
// class P.M
