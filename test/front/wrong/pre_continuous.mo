model M
  Real x(start = 1), y;
equation
  der(x) = -x;
  y = pre(x);
end M;
// error 5: pre(x) outside of a when-clause: the variable is continuous
