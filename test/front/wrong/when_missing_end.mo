model M
  Real x;
equation
  when time > 1 then
    x = 1;
end M;
// error 6: expected 'end when' to close the 'when' of line 4, found 'end M'
