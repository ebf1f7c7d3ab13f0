package P
  model A Real x = time; end A;
  model M A a; Real y = a.z; Real u = a.x.w; Real v = b.x; end M;
end P;
// error 3: 'A' has no element 'z'
// error 3: 'x' has nothing inside
// error 3: there is no 'b' here
// class P.M
