model M
 function bis input Real a; output Real x; protected Real lo=0, hi=10;
   algorithm while hi-lo > 1e-14 loop x := (lo+hi)/2; if x*x > a then hi := x; else lo := x;
   end if; end while; end bis;
 Real y=bis(2+time);
end M;
// y(0.37) = 1.5394804318340654
// y = 1.7320508075688772
