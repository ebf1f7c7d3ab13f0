model M
 function mexp input Real A[:,size(A,1)]; input Integer n=20;
   output Real E[size(A,1),size(A,1)];
   protected Real T[size(A,1),size(A,1)]=identity(size(A,1)); algorithm E := T;
   for k in 1:n loop T := T*A/k; E := E+T; end for; end mexp; Real E[2,2]=mexp([0,time;
   -time,0]);
end M;
// E[1,2](0.37) = 0.361615431964962
// E[1,2] = 0.8414709848078965
