model Base
  replaceable parameter Real p = 1;
  Real y = p;
end Base;

model RedeclaredTwice "one class says twice which declaration holds"
  extends Base(redeclare replaceable Real p = 2);
  redeclare replaceable Real p = 3;
end RedeclaredTwice;
// error 8: 'p' is redeclared twice in 'RedeclaredTwice'
// advice remove one of the two
