package P
  connector Port Real p; flow Real m; stream Real h; end Port;
  model A Port a; equation a.p = 1; a.h = 2; end A;
  model B Port a; equation a.m = inStream(a.h); a.h = 3; end B;
  model M A a; B b; equation connect(a.a, b.a); end M;
end P;
// error 4: 'inStream' is not supported
// error 2: 'h' is a stream variable, which is not supported yet
// class P.M
