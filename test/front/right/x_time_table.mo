model M
 function tab input Real t; output Real y; protected constant Real T[4,2]=[0,0;1,1;2,0;3,2];
   algorithm y := T[1,2];
   for i in 1:3 loop if t>=T[i,1] then y := T[i,2]+(T[i+1,2]-T[i,2])*(t-T[i,1]); end if;
   end for; end tab; Real y=tab(time);
end M;
// stop 3
// y(1.11) = 0.8900000000000001
// y = 2.0
