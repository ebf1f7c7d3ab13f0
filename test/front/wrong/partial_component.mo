partial model A
  parameter Real m = 1;
end A;
model M
  A a;
end M;
// error 5: 'A' is partial and cannot be a component
