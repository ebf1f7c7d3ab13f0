model M
  Real x(start = 1);
  Integer n(start = 0);
equation
  der(x) = -x;
  when edge(x) then
    n = 1;
  end when;
end M;
// error 6: edge needs a Boolean variable
