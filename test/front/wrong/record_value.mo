record R
  Real a = 1;
end R;
model M
  parameter R r = {1, 2};
end M;
// error 5: this is of type Integer and has no field 'a'
