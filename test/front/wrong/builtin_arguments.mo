model M
  Real a = sin(time, 2);
  Real b = sin();
  Real c = sin("x");
  Real d = atan2(time);
  Real e = max(time);
  Real f = sqrt({time});
end M;
// error 2: 'sin' has 1 argument(s), not 2
// error 3: 'sin' has 1 argument(s), not 0
// error 4: sin does not fit its arguments
// error 5: 'atan2' has 2 argument(s), not 1
// error 7: the left side has the sizes of a scalar, the right side [1]
