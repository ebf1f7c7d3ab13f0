model M
  function f input Real x; output Real a; output Real b; output Real c[2]; algorithm a := x;
    b := 2*x; c := {3*x,4*x}; end f; Real a, b, c[2], d, k[2], m; equation (a, b, c) = f(time);
    (d,,k) = f(2); (m) = f(9);
end M;
// a(0.37) = 0.37
// a = 1.0
// b(0.37) = 0.74
// b = 2.0
// c[2](0.37) = 1.48
// c[2] = 4.0
// d = 2.0
// k[1] = 6.0
// m = 9.0
