model M
  function f input Real x; output Real a; output Real b; algorithm a := x+1; b := x-1; end f;
    function g input Real x; output Real y; protected Real p, q; algorithm (p,q) := f(x);
    y := p*q + f(f(x)); end g; Real y=g(time);
end M;
// y(0.37) = 1.5069
// y = 3.0
