package P
  operator record C Real re; Real im;
    encapsulated operator function '+' import P.C; input C a; input C b; output C r;
    algorithm r.re := a.re + b.re; r.im := a.im + b.im; end '+';
  end C;
  model M
    C a(re = time, im = 1);
    C b = a + a;
    C c = a*a;
    C d = -a;
    C e = a + 1;
    Boolean f = a == b;
  end M;
end P;
// error 9: '*' of the record 'C' cannot be applied to these operands
// error 10: '-' of the record 'C' cannot be applied to these operands
// error 11: '+' of the record 'C' cannot be applied to these operands
// error 12: '==' of the record 'C' cannot be applied to these operands
// class P.M
