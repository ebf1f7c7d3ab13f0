model M
 record P Real x(start=1); Real v(start=0); end P; P p(x(fixed=true),v(fixed=true));
   function f input P p; output P d; algorithm d := P(p.v,-p.x); end f;
   equation P(der(p.x),der(p.v))=f(p);
end M;
// p.x(0.37) = 0.9323273456060345
// p.x = 0.5403023058681398
