model M
 Real a(start=1,fixed=true), b(start=0,fixed=true,nominal=1e-5), c;
   equation der(a)=-0.04*a+1e4*b*c; der(b)=0.04*a-1e4*b*c-3e7*b^2; a+b+c=1; end M;
// stop 400
// a(148.0) = 0.5718112733100836
// a = 0.45051866847412725
// c(148.0) = 0.42818357117087585
// c = 0.5494781086244298
