model M
  parameter Real A[3,3] = [4,1,0;1,3,1;0,1,2]; Real b[3] = {1,time,2}; Real x[3];
    Real r = sum((A*x-b).^2); equation A*x = b;
end M;
// r = 0.0
// x[2] = -0.11111111111111112
