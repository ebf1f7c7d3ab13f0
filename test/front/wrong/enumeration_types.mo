package P
  type A = enumeration(one, two);
  type B = enumeration(one, two);
  model M
    A a = B.one;
    Boolean same = A.one == B.one;
    Integer i = A.two;
    A c = A.three;
  end M;
end P;
// error 5: the sides of the equation are of type A and B
// error 6: '==' cannot be applied to enumeration and enumeration
// error 7: the sides of the equation are of type Integer and enumeration
// error 8: enumeration 'A' has no literal 'three'
// class P.M
