package P
  block Source
    parameter Boolean useInput = false;
    Signals.RealInput u if useInput;
    Signals.RealOutput y;
  protected
    Signals.RealInput inside;
  equation
    connect(u, inside);
    if not useInput then
      inside = 5;
    end if;
    y = 2*inside;
  end Source;
  model M
    Source a, b(useInput = true), c(useInput = true);
  equation
    connect(a.y, b.u);
  end M;
end P;
// class P.M
// warning 16: the input 'u' of 'c' is open and zero
