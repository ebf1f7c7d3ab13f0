model M
 function solve input Real A[:,:]; input Real b[size(A,1)]; output Real x[size(A,1)];
   protected Real M[size(A,1),size(A,1)]=A, r[size(A,1)]=b, row[size(A,1)], t, f;
   Integer n=size(A,1), p; algorithm
 for k in 1:n-1 loop p := k; for i in k+1:n loop if abs(M[i,k]) > abs(M[p,k]) then p := i;
   end if; end for; if p <> k then row := M[k,:]; M[k,:] := M[p,:]; M[p,:] := row; t := r[k];
   r[k] := r[p]; r[p] := t; end if; for i in k+1:n loop f := M[i,k]/M[k,k];
   M[i,:] := M[i,:]-f*M[k,:]; r[i] := r[i]-f*r[k]; end for; end for;
 x[n] := r[n]/M[n,n]; for i in n-1:-1:1 loop x[i] := (r[i]-M[i,i+1:n]*x[i+1:n])/M[i,i]; end for;
   end solve; Real A[3,3]=[time,1,0;1,0,1;2,1,3]; Real x[3]=solve(A,{1,2,3}); Real r[3]=A*x;
end M;
// r[1] = 1.0
// r[2] = 2.0
// r[3] = 3.0
