record R
  Real a = 1;
end R;
model M
  parameter R r = R(a = 2);
end M;
// error 5: a value for the whole record 'r' is not supported yet
