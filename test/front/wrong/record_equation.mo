package P
  record R Real a; end R;
  record S Real b; end S;
  model M R r; S s; Real x; equation r = s; s.b = time; x = r; end M;
end P;
// error 4: the sides of the equation are records with different fields
// error 4: the sides of the equation are of type Real and record
// class P.M
