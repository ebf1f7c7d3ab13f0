model M
  function foo input Real x1; input Real x2=2; output Real y; algorithm y:=x1+x2; end foo;
    Real x=time; function f1=foo(x1=x); Real z1=f1(x1=2); Real z2=f1(x2=1);
end M;
// z1 = 4.0
// z2(0.37) = 1.37
// z2 = 2.0
