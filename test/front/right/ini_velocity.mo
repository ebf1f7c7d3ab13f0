model M
 parameter Real T=2; Real x, v; initial equation x=0; v=1; equation der(x)=v; der(v)=-9*x;
   end M;
// x(0.37) = 0.29856622856001586
// x = 0.0470400026866224
