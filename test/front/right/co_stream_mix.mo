model M
  connector P Real p; flow Real m; stream Real h; end P; model Src P o; parameter Real m=1, h=1;
    equation o.m=-m; o.h=h; end Src; model Sink P i; Real h = inStream(i.h); equation i.p=1;
    i.h=0; end Sink; Src a(m=1,h=10), b(m=3,h=20); Sink k; equation connect(a.o,k.i);
    connect(b.o,k.i);
end M;
// k.h = 17.5
// k.i.m = 4.0
