model M
 Real x(start=2); equation der(x)=-x; end M;
// x(0.37) = 1.3814686612747094
// x = 0.7357588823428847
