model M
  discrete Real x;
equation
  when time > 1 then
    x = 1;
  end when;
end M;
// error 4: a when-equation is not supported yet
