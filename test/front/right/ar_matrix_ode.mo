model M
  parameter Real A[2,2] = [0,1;-4,0]; Real x[2](start={1,0}, each fixed=true);
    Real P[2,2](start=identity(2), each fixed=true); equation der(x) = A*x; der(P) = A*P;
end M;
// x[1](0.37) = 0.7384685587295879
// x[1] = -0.4161468365471424
// P[2,1](0.37) = -1.34857582325629
// P[2,1] = -1.8185948536513634
// P[1,2](0.37) = 0.3371439558140725
// P[1,2] = 0.45464871341284085
