model A
  final parameter Real m = 2;
end A;
model M
  A a(m = 3);
end M;
// error 5: 'm' is final and cannot be modified
