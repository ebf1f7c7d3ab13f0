model M
  Integer n(start = 0);
equation
  n = 3;
  when time > 1 then
    n = 1;
  end when;
end M;
// error 4: there are too many equations for the variables in them
