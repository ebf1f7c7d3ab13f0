model M
 function ip input Real X[:]; input Real Y[size(X,1)]; input Real x; output Real y;
   protected Integer i; algorithm i := 1; while i < size(X,1)-1 and x > X[i+1] loop i := i+1;
   end while; y := Y[i]+(Y[i+1]-Y[i])*(x-X[i])/(X[i+1]-X[i]); end ip;
   Real y=ip({0,0.3,0.6,1},{0,1,0,5},time);
end M;
// y(0.37) = 0.7666666666666666
// y = 5.0
