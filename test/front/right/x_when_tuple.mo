model M
 function f input Real x; output Real a; output Integer b; algorithm a := 2*x;
   b := integer(x)+1; end f; Real a(start=0,fixed=true); Integer b(start=0,fixed=true);
   equation when sample(0.5,1) then (a,b)=f(time); end when;
end M;
// stop 3
// a = 5.0
// b = 3.0
