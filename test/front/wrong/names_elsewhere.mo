model M
  double x = 1;
  int k = 2;
  bool b = true;
  Real y = ln(time + 1);
  Real z = pow(time, 2);
  Real w = fabs(time);
end M;
// error 2: there is no class 'double'
// advice the type is called Real
// error 3: there is no class 'int'
// advice the type is called Integer
// error 4: there is no class 'bool'
// advice the type is called Boolean
// error 5: there is no function 'ln'
// advice write log(x)
// error 6: there is no function 'pow'
// advice write x^y
// error 7: there is no function 'fabs'
// advice write abs(x)
