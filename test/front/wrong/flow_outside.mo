model M
  flow Real i;
  Real v;
equation
  v = 1;
  i = 2;
end M;
// error 2: 'i' is a flow variable, but only connectors have such variables
