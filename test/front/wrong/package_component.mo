package P
  constant Real g = 1;
end P;
model M
  P p;
end M;
// error 5: a package cannot be a component
