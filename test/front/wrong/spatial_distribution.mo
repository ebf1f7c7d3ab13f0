model M
  Real x = time, y;
equation
  (y, ) = spatialDistribution(x, 0, x, true, {0, 1}, {0, 0});
end M;
// error 4: 'spatialDistribution' is not supported
