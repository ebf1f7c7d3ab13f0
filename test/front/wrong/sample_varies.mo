model M
  Real x(start = 1);
  Integer n(start = 0);
equation
  der(x) = -x;
  when sample(0, x) then
    n = pre(n) + 1;
  end when;
end M;
// error 6: sample needs numbers that do not change
