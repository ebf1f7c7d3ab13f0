model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  assert(x < 2, 3);
  when x > 1 then
    terminate(3);
  end when;
end M;
// error 5: a text is needed here, this is a number
// error 7: a text is needed here, this is a number
