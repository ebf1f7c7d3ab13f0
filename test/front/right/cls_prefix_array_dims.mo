model M
  Real[2] a[3] = {{1,2},{3,4},{5,6}}; parameter Integer n = 2; Real[n, n+1] b = fill(1, n, n+1);
    constant Real c = 2; final parameter Real d = 3*c; 
  Real s = sum(a) + sum(b) + d;
end M;
// a[3,1] = 5.0
// s = 33.0
