package P
  partial function F input Real u; output Real y; end F;
  function twice input F f; input Real u; output Real y; algorithm y := f(f(u)); end twice;
  function two input Real a; input Real b; output Real y; algorithm y := a + b; end two;
  model M
    Real a = F(time);
    Real b = twice(F, time);
    Real c = twice(two, time);
    Real d = twice(function two(z = 1), time);
    Real e = twice(time, time);
  end M;
end P;
// error 6: function 'F' is partial and cannot be called
// error 3: function 'F' is partial and cannot be called
// error 3: function 'two' needs its input 'b'
// error 9: function 'two' has no input 'z'
// error 10: 'f' is of type function, but the value is of type Real
// class P.M
