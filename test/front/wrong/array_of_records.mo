package P
  record R Real a; Real b; end R;
  model M R r = R(1, 2, 3); R s = R(c = 1); R t = R(time); R u[2] = {R(1, 2)}; end M;
end P;
// error 3: 'R' has 2 field(s), but 3 values are given
// error 3: 'R' has no field 'c'
// error 3: 1 values for 'a' where 'u' is an array of 2
// class P.M
