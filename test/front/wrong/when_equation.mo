model M
  discrete Real x;
equation
  when time > 1 then
    x = 1;
  end when;
end M;
// error 4: 'M' has a when-equation, which is not supported yet
