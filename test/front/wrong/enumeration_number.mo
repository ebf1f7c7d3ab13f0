package P
  type E = enumeration(one, two);
  model M
    parameter E a = E(3);
    E b = E(time);
    E c = E(1, 2);
    Real y = Integer(a) + Integer(b) + Integer(c);
  end M;
end P;
// error 4: there is no literal number 3 in 'E'
// error 5: 'E' makes a literal of an Integer, this is of type Real
// error 6: 'E' makes a literal of one Integer
// advice give a number from 1 to 2
// class P.M
