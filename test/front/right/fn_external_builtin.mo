model M
  function mypow input Real x; input Real n; output Real y; external "C" y = pow(x, n);
    end mypow; function s input Real x; output Real y; external "builtin" y = sin(x); end s;
    Real a=mypow(2+time,3), b=s(time);
end M;
// a(0.37) = 13.312053000000002
// a = 27.0
// b(0.37) = 0.361615431964962
// b = 0.8414709848078965
