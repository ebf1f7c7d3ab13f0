model M
 parameter Real v[4]={10,20,30,40}; Integer i=1+integer(3.999*time); Real y=v[i];
   Real A[2,2]=[1,2;3,4]; Integer j=if time>0.5 then 2 else 1; Real z=A[j,3-j];
   Real r[2]=A[j,:];
end M;
// y = 40.0
// z = 3.0
// r[2] = 4.0
