model M
 partial function base input Real x; output Real y; protected Real k=2; end base;
   function f extends base; algorithm y := k*x; end f; Real y=f(time);
end M;
// y(0.37) = 0.74
// y = 2.0
