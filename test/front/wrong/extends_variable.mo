package P
  model A Real x = time; end A;
  model M extends A; Real x = 2*time; end M;
end P;
// error 3: 'x' is declared twice
// class P.M
