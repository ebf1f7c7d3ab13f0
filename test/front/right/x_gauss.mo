model M
 function solve input Real A[:,:]; input Real b[size(A,1)]; output Real x[size(A,1)];
   protected Real M[size(A,1),size(A,1)]=A, r[size(A,1)]=b; Integer n=size(A,1); Real f;
   algorithm for k in 1:n-1 loop for i in k+1:n loop f := M[i,k]/M[k,k];
   M[i,k:n] := M[i,k:n]-f*M[k,k:n]; r[i] := r[i]-f*r[k]; end for; end for;
   for i in n:-1:1 loop x[i] := (r[i]-M[i,i+1:n]*x[i+1:n])/M[i,i]; end for; end solve;
   Real x[3]=solve([4,1,0;1,3+time,1;0,1,2],{1,2,3}); Real r[3]=[4,1,0;1,3+time,1;0,1,2]*x;
end M;
// r[2] = 2.0
// r[3] = 3.0
