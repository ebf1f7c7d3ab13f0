model M
 function root input Real a; output Real x; protected Real lo=0, hi=a+1;
   algorithm for i in 1:200 loop x := (lo+hi)/2; if x*x*x > a then hi := x; else lo := x;
   end if; end for; end root; parameter Real a=7; final parameter Real k=root(a);
   Real x(start=1,fixed=true); equation der(x)=-k*x;
end M;
// x(0.37) = 0.49273462413556696
// x = 0.1476469714371869
