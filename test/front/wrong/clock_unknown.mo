model M
  Clock c;
  Real x;
equation
  when c then
    x = time;
  end when;
end M;
// error 2: no clock is given for 'c', and none can be inferred
// advice give one: Clock c = Clock(0.1)
