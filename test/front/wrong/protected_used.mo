model A
protected
  parameter Real m = 2;
end A;
model M
  A a;
  parameter Real x = a.m;
end M;
// error 7: 'm' is protected in 'A'
