model M
  Real x = time;
  AssertionLevel l = if time > 0.5 then AssertionLevel.error else AssertionLevel.warning;
equation
  assert(x < 2, "b", 5);
  assert(x < 2, "c", level = l);
end M;
// error 5: the level of an assert is Integer
// error 6: the level of an assert is decided by variables
// advice write AssertionLevel.error
