model A
protected
  parameter Real m = 2;
end A;
model M
  A a(m = 3);
end M;
// error 6: 'm' is protected and cannot be modified from outside
