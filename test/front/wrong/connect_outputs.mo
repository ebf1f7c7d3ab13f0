model M
  Signals.Step a, b;
equation
  connect(a.y, b.y);
end M;
// error 4: 'a.y' and 'b.y' are both sources of a signal
