model M
  function inv2 input Real A[2,2]; output Real B[2,2]; protected Real d;
    algorithm d := A[1,1]*A[2,2]-A[1,2]*A[2,1]; B := [A[2,2],-A[1,2];-A[2,1],A[1,1]]/d;
    end inv2; function tr input Real A[:,size(A,1)];
    output Real t=sum(A[i,i] for i in 1:size(A,1)); algorithm end tr; Real I[2,2]=inv2([2,1;
    time,3])*[2,1;time,3]; Real t=tr(diagonal({1,2,3}));
end M;
// I[1,1] = 1.0
// I[2,1] = 0.0
// t = 6.0
