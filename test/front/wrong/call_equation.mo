model M
  Real x = time;
equation
  terminate("enough");
end M;
// error 4: a call as an equation is not supported yet
