model M
  type E = enumeration(a, b, a);
  E e = E.a;
end M;
// error 2: the literal 'a' is there twice
