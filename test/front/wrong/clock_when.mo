model M
  Clock c = Clock(0.1);
  Real x, y;
equation
  when c then
    x = time;
  elsewhen time > 0.5 then
    x = 2;
  end when;
end M;
// error 5: a clocked when-clause has elsewhen
// advice write a clause of its own
