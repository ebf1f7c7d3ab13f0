model M
  Real x, y, z;
equation
  x = time;
  x = 2*time;
  y + z = 1;
end M;
// error 5: there are too many equations for the variables in them: this one is left over
// error 2: 3 equation(s) for 3 unknown(s): nothing decides 'y', 'z'
