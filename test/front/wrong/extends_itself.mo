model A
  extends B;
end A;
model B
  extends A;
end B;
model M
  extends A;
end M;
// error 5: class 'A' inherits itself
