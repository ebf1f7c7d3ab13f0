model M
  parameter Integer n=5; Real f[n], g[n]; Real A[2,2]; algorithm f[1]:=1; f[2]:=1;
    for i in 3:n loop f[i] := f[i-1]+f[i-2]; end for; g := f*time; A[1,:] := {1,2};
    A[:,2] := {3,4}; A[2,1] := 5;
end M;
// f[5] = 5.0
// g[5](0.37) = 1.85
// g[5] = 5.0
// A[1,2] = 3.0
// A[2,1] = 5.0
