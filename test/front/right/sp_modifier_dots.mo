model M
  class C4 Real x; end C4; C4 a(final x.unit="V",x.displayUnit="mV",x=5.0);
    C4 b(x(final unit="V",displayUnit="mV")=5.0); Real s=a.x+b.x;
end M;
// s = 10.0
