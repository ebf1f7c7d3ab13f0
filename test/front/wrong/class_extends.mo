model A
  replaceable model B
  end B;
end A;
model M
  extends A;
  redeclare model extends B
  end B;
  B b;
end M;
// error 7: 'B': a class that extends its own name is not supported yet
