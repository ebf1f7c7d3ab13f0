model M
  Integer n(start = 0);
equation
  when sample(0, -0.1) then
    n = pre(n) + 1;
  end when;
end M;
// error 4: the interval of sample is -0.1
