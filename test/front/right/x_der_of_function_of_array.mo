model M
 function f input Real x[:]; output Real y; algorithm y := 0;
   for i in 1:size(x,1) loop y := y+x[i]^i; end for; end f; Real x[3]={time,2*time,3*time};
   Real y=f(x); Real d=der(y);
end M;
// d(0.37) = 15.0489
// d = 90.0
