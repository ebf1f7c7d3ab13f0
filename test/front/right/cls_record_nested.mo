model M
  record P Real x; Real y; end P; record L P a; P b; Real w[2]; end L;
    L l(a(x=1,y=2), b=P(3,4), w={5,6}); L k = L(P(1,2),P(3,time),{5,6}); L arr[2] = {l,k};
    Real s = arr[2].b.y + sum(arr.a.x) + sum(arr[:].w[1]);
end M;
// s(0.37) = 12.370000000000001
// s = 13.0
// k.b.y(0.37) = 0.37
// k.b.y = 1.0
