model M
  Clock c = Clock(0.1);
  Real x(start = 0);
algorithm
  when c then
    x := previous(x) + 1;
  end when;
end M;
// error 5: a clocked when-clause stands in an algorithm
// error 4: pre(x) outside of a when-clause
// advice write it as an equation
