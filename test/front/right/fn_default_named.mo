model M
  function f input Real a; input Real b=2*a; input Real c=a+b; output Real y=a*100+b*10+c;
    algorithm end f; Real x=f(1), y=f(1,5), z=f(1,c=0), w=f(a=2,c=1), v=f(c=1,b=2,a=3);
end M;
// x = 123.0
// y = 156.0
// z = 120.0
// w = 241.0
// v = 321.0
