model M
  Real x, y; parameter Real a(fixed=false); initial equation der(x) = 0; y = 5; a = x*2;
    equation der(x) = -x + 3; der(y) = -y + x;
end M;
// x = 3.0
// y(0.37) = 4.38146866127471
// y = 3.7357588823428847
// a = 6.0
