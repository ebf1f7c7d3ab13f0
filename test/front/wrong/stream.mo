package P
  connector Port Real p; flow Real m; stream Real h; end Port;
  connector Plain Real p; flow Real m; Real h; end Plain;
  model A Port a; equation a.p = 1; a.h = 2; end A;
  model B Port a; equation a.m = inStream(a.p); a.h = 3; end B;
  model C Plain a; equation a.p = 1; a.h = 1; end C;
  model M A a; B b; C c; equation connect(a.a, b.a); connect(a.a, c.a); end M;
end P;
// error 5: inStream needs a stream variable of a connector
// error 7: 'h' is a stream on one side of the connection, and 'h' is none on the other
// class P.M
// warning 3: connector 'Plain' has 2 potentials and 1 flow
