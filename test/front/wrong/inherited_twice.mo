model A
  parameter Real m = 1;
end A;
model B
  parameter Real m = 2;
end B;
model M
  extends A;
  extends B;
end M;
// error 5: 'm' is declared twice
