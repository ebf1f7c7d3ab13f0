model M
 function check input Real x; algorithm assert(x<10,"too large"); end check; Real x=time;
   equation check(x);
end M;
// x(0.37) = 0.37
// x = 1.0
