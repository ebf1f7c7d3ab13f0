package P
  connector Port Real p; flow Real m; flow Real q; Real t; stream Real h; end Port;
  model A Port a; equation a.p = 1; a.t = 1; a.h = 2; end A;
  model M A a, b; equation connect(a.a, b.a); end M;
end P;
// error 2: 'h' is a stream variable, but its connector has several flows
// class P.M
