model M
 function f input Real x; output Real y; algorithm assert(x>=0,"negative"); y := sqrt(x); end f;
   Real y=f(time);
end M;
// y(0.37) = 0.6082762530298219
// y = 1.0
