model M
  Clock c = Clock(0.1);
  Real x(start = 0), y(start=0,fixed=true);
equation
  when c then
    x = previous(x) + 1;
  end when;
  when time > 0.5 then
    y = x;
  end when;
end M;
// error 8: a when-clause with a Boolean condition reads 'x', which is clocked
// advice use hold(...) of it
