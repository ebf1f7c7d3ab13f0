model M
  connector P Real p; flow Real m; stream Real h; end P; model Src P o; equation o.p = 2;
    o.h = 100; end Src; model Pipe P a, b; equation a.m + b.m = 0; a.p - b.p = a.m;
    a.h = inStream(b.h); b.h = inStream(a.h); end Pipe; model Sink P i; Real h = inStream(i.h);
    Real ha = actualStream(i.h); equation i.p = 1; i.h = 5; end Sink; Src s; Pipe p; Sink k;
    equation connect(s.o, p.a); connect(p.b, k.i);
end M;
// k.h = 100.0
// p.a.m = 1.0
// k.ha = 100.0
