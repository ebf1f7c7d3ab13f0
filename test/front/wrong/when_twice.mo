model M
  Integer n(start = 0);
equation
  when time > 1 then
    n = 1;
  end when;
  when time > 2 then
    n = 2;
  end when;
end M;
// error 7: 'n' is assigned by more than one when-clause
// advice elsewhen
