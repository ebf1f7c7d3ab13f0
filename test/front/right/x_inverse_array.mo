model M
 function f input Real x[2]; output Real y[2]; algorithm y := {x[1]^3, x[2]^3};
   annotation(inverse(x=g(y))); end f; function g input Real y[2]; output Real x[2];
   algorithm x := {y[1]^(1/3), y[2]^(1/3)}; end g; Real x[2](each start=1);
   equation {1+time,8}=f(x);
end M;
// x[1](0.37) = 1.1106405414766722
// x[1] = 1.2599210498948732
// x[2] = 2.0
