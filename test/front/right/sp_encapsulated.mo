package P
  package Math function sin input Real x; output Real y; external "builtin" y=sin(x); end sin;
    end Math;
  encapsulated model SineSource import P.Math.sin; connector OutPort = output Real;
    OutPort y = sin(time); end SineSource;
end P;
// class P.SineSource
// y(0.37) = 0.361615431964962
// y = 0.8414709848078965
