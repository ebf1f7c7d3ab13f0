model M
  Boolean a(start = false), b(start = false);
equation
  when time > 1 then
    a = not b;
  end when;
  when time > 1 then
    b = not a;
  end when;
end M;
// error 7: would have to be known before they are computed
