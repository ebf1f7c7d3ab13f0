package P
  connector C
    Real v;
    flow Real i;
  end C;
  model A
    C c;
  equation
    c.i = c.v - 1;
  end A;
  model M
    A a, b;
  equation
    connect(a.c.v, b.c.v);
  end M;
end P;
// class P.M
// error 14: 'v' is a variable, but connect needs connectors
// error 14: 'v' is a variable, but connect needs connectors
